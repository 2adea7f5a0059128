import { compileConditionList } from '../conditions/compile-condition.ts';
import { askPolicies } from '../policies/ask-policies.ts';
import { focus, leave } from '../run.ts';
import { closeStage } from './close-stage.ts';
import { conditions, ids, oneOf } from './node-keys.ts';
import { type NodeKind, readIds } from './node-kind.ts';

/** Candidates that do not match the conditions leave; named global policies are evaluated here. */
export const filter: NodeKind = {
  type: 'filter',
  phase: 1,
  single: false,
  keys: { conditions, combinator: oneOf(['AND', 'OR']), contactPolicyIds: ids(200, 'contactPolicy') },
  required: [],
  step(node, parts) {
    const config = node.config ?? {};
    const compiled = compileConditionList(config.conditions ?? [], config.combinator === 'OR' ? 'OR' : 'AND');
    if (compiled.ok) parts.builder.readPaths(compiled.condition.paths);
    const wanted = new Set(readIds(config.contactPolicyIds));
    const policies = parts.policies.filter((policy) => wanted.has(policy.id) && policy.scope.all);
    for (const policy of policies) parts.askable.add(policy);
    return {
      type: 'filter',
      nodeId: node.id,
      run(run) {
        for (const candidate of run.list) {
          focus(run, candidate);
          // Stored conditions that cannot be compiled match nothing.
          if (!compiled.ok || !compiled.condition.test(run.scope)) leave(run, candidate, 'filter');
        }
        askPolicies(run, policies, run.list, false);
        closeStage(run, 'filter', node.id);
      },
    };
  },
};
