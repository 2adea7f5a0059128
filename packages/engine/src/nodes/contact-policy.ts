import { askPolicies } from '../policies/ask-policies.ts';
import { type CompiledPolicy, canBeLifted } from '../policies/policy-kind.ts';
import type { FlowNode } from '../snapshot.ts';
import { closeStage } from './close-stage.ts';
import { ids, oneOf } from './node-keys.ts';
import { type NodeKind, type PlanParts, readIds, readWord } from './node-kind.ts';
import type { Step } from './step.ts';

const modes = ['all', 'selected'] as const;

/** Contact policies by priority (api-decisioning.md 8, api-catalogue.md 8). */
export const contactPolicy: NodeKind = {
  type: 'contact_policy',
  phase: 1,
  single: false,
  keys: { mode: oneOf(modes), policyIds: ids(200, 'contactPolicy') },
  required: [],
  step: (node, parts) => contactPolicyStep(node, parts),
};

/** `node` null: the stage that a flow without the node runs at the end of phase 1. */
export function contactPolicyStep(node: FlowNode | null, parts: PlanParts): Step {
  const config = node?.config ?? {};
  const selected = readWord(config.mode, modes) === 'selected' ? new Set(readIds(config.policyIds)) : null;
  const policies = parts.policies.filter(
    (policy) => selected === null || selected.has(policy.id) || isAlwaysAsked(policy),
  );
  const overrides = policies.filter(({ behaviour }) => behaviour.role === 'override');
  // What a policy on creatives or channels says is not known before they are matched, nor what such an override lifts.
  const liftedLater = overrides.some(needsCreative);
  const waits = (policy: CompiledPolicy): boolean => needsCreative(policy) || (liftedLater && canBeLifted(policy));
  const now = parts.matched ? policies : policies.filter((policy) => !waits(policy));
  const later = parts.matched ? [] : policies.filter((policy) => waits(policy) && !overrides.includes(policy));
  if (later.length > 0) parts.waiting.push((run) => askPolicies(run, [...overrides, ...later], run.list, false));
  for (const policy of policies) parts.askable.add(policy);
  const nodeId = node?.id ?? null;
  return {
    type: 'contact_policy',
    nodeId,
    run(run) {
      askPolicies(run, now, run.list, false);
      closeStage(run, 'contact_policy', nodeId);
      run.after.contactPolicy = run.offerCount;
    },
  };
}

/** do_not_contact and policies with `bypassable: false` are evaluated in any mode. */
function isAlwaysAsked(policy: CompiledPolicy): boolean {
  return policy.ruleType === 'do_not_contact' || !policy.bypassable;
}

function needsCreative(policy: CompiledPolicy): boolean {
  return policy.scope.needsCreative || policy.behaviour.needsCreative;
}
