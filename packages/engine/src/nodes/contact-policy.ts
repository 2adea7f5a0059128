import { readIds, readWord } from '../config-values.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import { askStage } from '../stages/ask-stage.ts';
import { closeStage } from '../stages/close-stage.ts';
import { ids, oneOf } from './node-keys.ts';
import type { NodeKind, PlanParts } from './node-kind.ts';

const modes = ['all', 'selected'] as const;

/** Contact policies by priority (docs/design/api-decisioning.md 8, docs/design/api-catalogue.md 8). */
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
    (policy) => !parts.filtered.has(policy) && (selected === null || selected.has(policy.id) || isAlwaysAsked(policy)),
  );
  const ask = askStage('contact_policy', policies, parts);
  const nodeId = node?.id ?? null;
  return {
    type: 'contact_policy',
    nodeId,
    run(run) {
      ask(run);
      closeStage(run, 'contact_policy', nodeId);
      run.after.contactPolicy = run.offerCount;
    },
  };
}

/** do_not_contact and policies with `bypassable: false` are evaluated in any mode. */
function isAlwaysAsked(policy: CompiledPolicy): boolean {
  return policy.ruleType === 'do_not_contact' || !policy.bypassable;
}
