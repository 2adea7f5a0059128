import { candidatesFrom, listsNow, type PlanParts } from '../nodes/node-kind.ts';
import type { CompiledPolicy, PolicyStage } from '../plan/policy.ts';
import type { Run } from '../plan/run.ts';
import { askPolicies } from '../policies/ask-policies.ts';
import { canBeLifted } from '../policies/policy-kind.ts';
import { policyStage } from '../policies/policy-stage.ts';

/**
 * Asks a node's policies. Those that can't be answered before creatives are matched are left to a later
 * match_creatives, if there is one.
 */
export function askStage(
  type: PolicyStage['type'],
  policies: readonly CompiledPolicy[],
  parts: PlanParts,
): (run: Run) => void {
  const stage = policyStage(type, policies);
  parts.policyStages.push(stage);
  parts.shared.asked.push({ stage, lists: listsNow(parts), ofMandatory: !parts.isCalled });
  if (parts.matched) return (run) => askPolicies(run, stage, run.list, false);
  // Policies and overrides on creatives or channels can't be asked before those are matched.
  const liftedLater = stage.overrides.some(needsCreative);
  const waits = (policy: CompiledPolicy): boolean => needsCreative(policy) || (liftedLater && canBeLifted(policy));
  const now = policyStage(
    type,
    policies.filter((policy) => !waits(policy)),
  );
  const later: PolicyStage = { ...stage, blocking: stage.blocking.filter(waits) };
  const lists = listsNow(parts);
  if (later.blocking.length > 0)
    parts.waiting.push((run) => askPolicies(run, later, candidatesFrom(run, lists), false));
  return (run) => askPolicies(run, now, run.list, false);
}

function needsCreative(policy: CompiledPolicy): boolean {
  return policy.scope.needsCreative || policy.behaviour.needsCreative;
}
