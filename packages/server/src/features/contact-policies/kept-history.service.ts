import type { ContactPolicy } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { asJson } from '../../platform/json.ts';
import { retentionOf } from '../retention/index.ts';
import { getTenant } from '../tenants/index.ts';
import { daysCounted } from './kept-history.rules.ts';

const dayMs = 86_400_000;

/**
 * What the writer of a policy should know of the history that it counts (docs/design/api-settled.md 105): counters in force
 * survive retention, but a window that is new counts what is still there. Empty as long as nothing can have been deleted.
 */
export async function historyWarnings(tx: Tx, { ruleType, config }: ContactPolicy): Promise<string[]> {
  const values = Object.entries(config).map(([key, value]) => [key, asJson(value)] as const);
  const counted = daysCounted(ruleType, Object.fromEntries(values));
  const { days, legalHold } = await retentionOf(tx, 'interactions');
  if (legalHold || counted <= days) return [];
  const { createdAt } = await getTenant(tx);
  if (tx.now.getTime() - Date.parse(createdAt) <= days * dayMs) return [];
  return [`History is kept for ${days} days: from the start of this policy, what lies further back is not counted.`];
}
