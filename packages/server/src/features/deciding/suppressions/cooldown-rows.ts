import { hash } from 'node:crypto';
import type { SuppressionScope } from '@arbiter/contract';
import type { ContactLane, SnapshotPolicy } from '@arbiter/engine';
import { firstIdAt } from '../../../platform/ids.ts';
import { policyTarget } from './policy-target.ts';

/** Contacts with one customer that are counted together, and the latest of them. */
export interface LatestContact {
  readonly lane: Pick<ContactLane, 'offerId'>;
  /** Epoch ms. */
  readonly at: number;
}

/** A running cooldown, as a list of suppressions shows it. */
export interface CooldownRow {
  /** Its position among the rows of a list, which are ordered by ID. It isn't an ID. */
  readonly position: string;
  readonly scope: SuppressionScope;
  readonly scopeId: string;
  readonly policyId: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

const hourMs = 3_600_000;

/**
 * The cooldowns that are running for a customer (docs/design/api-settled.md 63), one for each policy and scope. Policies
 * that look at a channel or creative are not shown: no row could say what they block.
 */
export function runningCooldowns(
  policies: readonly SnapshotPolicy[],
  contacts: readonly LatestContact[],
  categoryOf: (offerId: string) => string | null,
  now: number,
): CooldownRow[] {
  const rows = new Map<string, CooldownRow>();
  for (const { id: policyId, ruleType, config, scopes } of policies) {
    if (ruleType !== 'cooldown' || typeof config.cooldownHours !== 'number') continue;
    const lengthMs = config.cooldownHours * hourMs;
    for (const assignment of scopes) {
      for (const { lane, at } of contacts) {
        if (now - at >= lengthMs) continue;
        const target = policyTarget(assignment, config.per, lane.offerId, categoryOf(lane.offerId));
        if (target === null) continue;
        const [scope, scopeId] = target;
        const name = `${policyId} ${scope} ${scopeId}`;
        const known = rows.get(name);
        if (known !== undefined && known.createdAt >= at) continue;
        rows.set(name, {
          position: positionOf(at, name),
          scope,
          scopeId,
          policyId,
          createdAt: at,
          expiresAt: at + lengthMs,
        });
      }
    }
  }
  return [...rows.values()];
}

/** Sorts by instant, like an ID, and differs for each policy and scope. */
function positionOf(at: number, name: string): string {
  return `${firstIdAt(at).slice(0, 24)}${hash('sha256', name).slice(0, 12)}`;
}
