import type { SuppressionScope } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import { policyMark } from '../../catalogue/contact-policies/index.ts';
import { policyTarget } from './policy-target.ts';

const dayMs = 86_400_000;

/** What an outcome was about. */
export interface OutcomeSubject {
  /** Key of the outcome type. */
  readonly key: string;
  readonly offerId: string;
  /** The offer's category as it is now. */
  readonly categoryId: string | null;
  /** Epoch ms of the event. */
  readonly at: number;
}

/** A row that a policy writes because of an outcome. */
export interface TriggeredRow {
  readonly scope: SuppressionScope;
  readonly scopeId: string;
  readonly policyId: string;
  readonly mark: string;
  readonly reason: string;
  readonly expiresAt: Date;
}

/**
 * The rows that the outcome_based policies write for an outcome (docs/design/api-catalogue.md 12); none for one that is so
 * long ago that it no longer suppresses anything. Policies on channels, creatives and sub-categories write none: decisions
 * look at the outcomes themselves.
 */
export function triggeredRows(
  policies: readonly SnapshotPolicy[],
  { key, offerId, categoryId, at }: OutcomeSubject,
  now: number,
): TriggeredRow[] {
  const rows = new Map<string, TriggeredRow>();
  for (const policy of policies) {
    const { id: policyId, ruleType, config, scopes } = policy;
    const { afterOutcome, suppressForDays } = config;
    if (ruleType !== 'outcome_based' || typeof suppressForDays !== 'number' || suppressForDays <= 0) continue;
    if (Array.isArray(afterOutcome) ? !afterOutcome.includes(key) : afterOutcome !== key) continue;
    const expiresAt = new Date(at + suppressForDays * dayMs);
    if (expiresAt.getTime() <= now) continue;
    for (const assignment of scopes) {
      const target = policyTarget(assignment, config.per, offerId, categoryId);
      if (target === null) continue;
      const [scope, scopeId] = target;
      const reason = `outcome_based: ${key}, suppressed for ${suppressForDays} days`;
      rows.set(`${policyId} ${scope} ${scopeId}`, {
        scope,
        scopeId,
        policyId,
        mark: policyMark(policy),
        reason,
        expiresAt,
      });
    }
  }
  return [...rows.values()];
}
