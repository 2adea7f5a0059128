import { compileConditionList } from '../conditions/compile-condition.ts';
import { readIds } from '../config-values.ts';
import type { CompiledPolicy } from '../plan/policy.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import { askStage } from '../stages/ask-stage.ts';
import { focus, leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { wishesOf } from '../why-not/edits.ts';
import { isExamined } from '../why-not/probe.ts';
import { conditions, ids, oneOf } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

/**
 * Drops candidates that don't match the conditions. Also evaluates the global policies that the node lists. The first
 * filter node that lists a policy evaluates it, and no other node does.
 */
export const filter: NodeKind = {
  type: 'filter',
  phase: 1,
  single: false,
  keys: { conditions, combinator: oneOf(['AND', 'OR']), contactPolicyIds: ids(200, 'globalContactPolicy') },
  required: [],
  step(node, parts) {
    const config = node.config ?? {};
    const compiled = compileConditionList(config.conditions ?? [], config.combinator === 'OR' ? 'OR' : 'AND');
    if (compiled.ok) parts.builder.readPaths(compiled.condition.paths);
    const earlierStages = parts.policyStages.filter(({ type }) => type === 'filter');
    const isAsked = (policy: CompiledPolicy): boolean =>
      earlierStages.some(({ blocking, overrides }) => blocking.includes(policy) || overrides.includes(policy));
    const policies = policiesOfFilter(node, parts.policies).filter((policy) => !isAsked(policy));
    const ask = askStage('filter', policies, parts);
    return {
      type: 'filter',
      nodeId: node.id,
      run(run) {
        for (const candidate of run.list) {
          focus(run, candidate);
          // Stored conditions that cannot be compiled match nothing.
          if (compiled.ok && compiled.condition.test(run.scope)) continue;
          leave(run, candidate, 'filter');
          if (compiled.ok && run.probe !== null && isExamined(run, candidate)) {
            run.probe.examination?.propose(wishesOf(compiled.condition, run.scope));
          }
        }
        ask(run);
        closeStage(run, 'filter', node.id);
      },
    };
  },
};

/** The global policies that a filter node names. */
export function policiesOfFilter(node: FlowNode, policies: readonly CompiledPolicy[]): readonly CompiledPolicy[] {
  const wanted = new Set(readIds(node.config?.contactPolicyIds));
  return policies.filter((policy) => wanted.has(policy.id) && policy.scope.all);
}
