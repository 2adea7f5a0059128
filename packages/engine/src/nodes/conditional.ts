import { compileConditionList } from '../conditions/compile-condition.ts';
import { readObject } from '../config-values.ts';
import type { FlowNode } from '../plan/snapshot.ts';
import type { Step } from '../plan/stages.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { type BranchAction, branchActions } from './branch-actions.ts';
import { anyText, conditionsOver, type KeyCheck, object, oneOf, reference, taking } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

/** Asked once per request, before there is a candidate (docs/design/api-decisioning.md 8). */
const namespaces: ReadonlySet<string> = new Set(['customer', 'request', 'attributes', 'channel']);

const branchShape = object({
  keys: { action: oneOf(branchActions), nodeId: anyText, flowKey: reference('flow') },
});

/** What happens on one side. `checkStructure` checks that the target of skip_to fits. */
const branch: KeyCheck = taking(branchShape.takes ?? {}, (value, path, issues) => {
  branchShape(value, path, issues);
  const { action, nodeId, flowKey } = readObject(value);
  if (action === 'skip_to' && (nodeId ?? null) === null) {
    issues.refuse(`${path}/nodeId`, 'invalid_config', 'is required when the action is skip_to');
  }
  if (action === 'call_flow' && (flowKey ?? null) === null) {
    issues.refuse(`${path}/flowKey`, 'invalid_config', 'is required when the action is call_flow');
  }
});

/** One question per request, and what to do on yes and on no. */
export const conditional: NodeKind = {
  type: 'conditional',
  phase: 1,
  single: false,
  keys: {
    conditions: conditionsOver(namespaces),
    combinator: oneOf(['AND', 'OR']),
    onTrue: branch,
    onFalse: branch,
  },
  required: [],
  collect({ config = {} }, builder) {
    const compiled = compileConditionList(config.conditions ?? [], config.combinator === 'OR' ? 'OR' : 'AND');
    if (compiled.ok) builder.readPaths(compiled.condition.paths);
  },
};

/** The stage of the node itself. The request's route says what's skipped or called after it (`routeOf`). */
export function conditionalStep(node: FlowNode, action: BranchAction): Step {
  return {
    type: 'conditional',
    nodeId: node.id,
    run(run) {
      if (action === 'drop_all') for (const candidate of run.list) leave(run, candidate, 'conditional');
      closeStage(run, 'conditional', node.id);
    },
  };
}
