import type { Candidate } from '../plan/candidate.ts';
import type { Suppression } from '../plan/input.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import type { Step } from '../plan/stages.ts';
import { isLifted } from '../policies/policy-stage.ts';
import { leave } from './candidates.ts';
import { closeStage } from './close-stage.ts';

/**
 * Rows of the suppression table, unexpired (docs/design/decisioning.md 1 step 5). A row that a policy wrote is in force only while
 * that policy is active; allow_override lifts rows of bypassable policies, never manual ones (docs/design/api-catalogue.md 8.3, 12).
 */
export function suppressionStep(policies: readonly CompiledPolicy[]): Step {
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  return {
    type: 'suppression',
    nodeId: null,
    run(run) {
      applySuppressions(run, run.list, byId, false);
      closeStage(run, 'suppression', null);
      run.after.suppression = run.offerCount;
    },
  };
}

export function applySuppressions(
  run: Run,
  list: readonly Candidate[],
  byId: ReadonlyMap<string, CompiledPolicy>,
  ofMandatory: boolean,
): void {
  const rows = run.input.suppressions;
  if (rows.length === 0) return;
  for (const row of rows) {
    if (row.expiresAt <= run.now) continue;
    const policy = row.policyId === null ? null : byId.get(row.policyId);
    // The policy was deleted or paused, so its rows don't apply.
    if (policy === undefined) continue;
    if (ofMandatory && policy?.bypassable === true) continue;
    for (const candidate of list) {
      if (!concerns(row, candidate)) continue;
      const lifted = policy !== null && isLifted(run, policy, candidate);
      run.trace?.suppression({
        offerId: candidate.offer.id,
        blocked: !lifted,
        scope: row.scope,
        reason: row.reason,
        policyId: row.policyId,
        expiresAt: row.expiresAt,
      });
      if (lifted) continue;
      const { scope, scopeId, policyId, reason, expiresAt } = row;
      const gate =
        run.trace === null ? null : { ruleId: null, policyId, detail: { scope, scopeId, reason, expiresAt } };
      leave(run, candidate, 'suppressed', gate);
    }
  }
}

function concerns(row: Suppression, candidate: Candidate): boolean {
  if (row.scope === 'global') return true;
  return row.scopeId === (row.scope === 'offer' ? candidate.offer.id : candidate.offer.categoryId);
}
