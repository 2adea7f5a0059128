import type { ContactPolicy } from '@arbiter/contract';
import { policyHistoryDays } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { asJsonObject } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';
import { getTenant } from '../../identity/tenants/index.ts';
import { retentionOf } from '../../operations/retention/index.ts';

const dayMs = 86_400_000;

/**
 * Returns warnings about the history that a policy counts (docs/design/api-settled.md 105). Retention spares what
 * active policies count, but a new policy can count only what is still stored. Empty if nothing can have been deleted.
 */
export async function historyRemarks(
  tx: Tx,
  {
    ruleType,
    config,
  }: { readonly ruleType: ContactPolicy['ruleType']; readonly config: Readonly<Record<string, unknown>> },
): Promise<Remark[]> {
  const counted = policyHistoryDays(ruleType, asJsonObject(config));
  const { days, legalHold } = await retentionOf(tx, 'interactions');
  if (legalHold || counted <= days) return [];
  const { createdAt } = await getTenant(tx);
  if (tx.now.getTime() - Date.parse(createdAt) <= days * dayMs) return [];
  return [
    {
      path: '/config',
      nearest: null,
      reason: `History is kept for ${days} days. Contacts before that aren't counted when the policy starts.`,
      suggestion: `Use a limit of at most ${days} days, or keep interactions longer in the retention settings.`,
      code: 'history_too_short',
    },
  ];
}
