import type { FlowFinding } from '../../../engine-worker/flow.ts';
import { changeNode, insertNode, removeNode, sortNodes } from '../../../flow-canvas/editing/commands.ts';
import { type ConfigNode, type FlowConfig, freeId } from '../../../flow-canvas/editing/flow-config.ts';
import { hookAt } from '../../../flow-canvas/editing/placement.ts';
import { stepsOf, valueAt, withValue } from '../../../forms/editing/changes.ts';

/** A kind of fix, named in `messages/flow-editor.ts`. */
export type FixName =
  | 'addInventory'
  | 'addScore'
  | 'sort'
  | 'removeNode'
  | 'renameId'
  | 'removeEntry'
  | 'clear'
  | 'dontSkip'
  | 'allOffers'
  | 'moveHook'
  | 'byPriority';

export interface FlowFix {
  readonly name: FixName;
  readonly config: FlowConfig;
}

type Fix = (config: FlowConfig, node: ConfigNode | undefined, finding: FlowFinding, at: number) => FlowFix | null;

const nodeFix =
  (name: FixName, change: (node: ConfigNode, config: FlowConfig, at: number) => ConfigNode): Fix =>
  (config, node, _, at) =>
    node === undefined ? null : { name, config: changeAt(config, at, (each) => change(each, config, at)) };

const changeAt = (config: FlowConfig, at: number, change: (node: ConfigNode) => ConfigNode): FlowConfig => ({
  ...config,
  nodes: config.nodes.map((node, position) => (position === at ? change(node) : node)),
});

const sort: Fix = (config) => ({ name: 'sort', config: sortNodes(config) });
const withConfig = (node: ConfigNode, values: Readonly<Record<string, unknown>>): ConfigNode => ({
  ...node,
  config: { ...node.config, ...values },
});

/** Removes the value at the finding's path: an entry of a list, or a key. */
const removeValue: Fix = (config, node, { path }, at) => {
  if (node === undefined) return null;
  const steps = stepsOf(path).slice(2);
  const [last = ''] = steps.slice(-1);
  const outer = steps.slice(0, -1);
  const holder = valueAt(node, outer);
  const name = Array.isArray(holder) ? 'removeEntry' : 'clear';
  const rest = Array.isArray(holder)
    ? holder.filter((_, position) => position !== Number(last))
    : Object.fromEntries(Object.entries(Object(holder)).filter(([key]) => key !== last));
  return { name, config: changeAt(config, at, (each) => withValue(each, outer, rest) as ConfigNode) };
};

const fixes: Readonly<Record<string, Fix>> = {
  missing_inventory: (config) => ({ name: 'addInventory', config: insertNode(config, 'inventory', null).config }),
  inventory_not_first: sort,
  response_not_last: sort,
  phase_order: sort,
  score_order: sort,
  duplicate_node: (config, node) =>
    node === undefined ? null : { name: 'removeNode', config: removeNode(config, node.id).config },
  duplicate_id: nodeFix('renameId', (node, config) => ({ ...node, id: freeId(config.nodes, node.id) })),
  hook_position: nodeFix('moveHook', (node, config, at) => withConfig(node, { hook: hookAt(config.nodes, at) })),
  skip_target: (config, node, { path }) => {
    const side = stepsOf(path).at(-2);
    if (node === undefined || side === undefined) return null;
    return {
      name: 'dontSkip',
      config: changeNode(config, node.id, (each) => withConfig(each, { [side]: { action: 'continue' } })).config,
    };
  },
  empty_scope: nodeFix('allOffers', (node) => withConfig(node, { scope: 'all' })),
  scoring_not_configured: (config, node) =>
    node === undefined
      ? { name: 'addScore', config: insertNode(config, 'score', null).config }
      : {
          name: 'byPriority',
          config: changeNode(config, node.id, (each) => withConfig(each, { method: 'priority_weighted' })).config,
        },
  unknown_reference: removeValue,
  unknown_key: removeValue,
};

/** Required keys of a node, which can't be cleared. */
const required = /\/(flowKey|schemaId|placementId)$|\/(champion|\d+)\/(profileId|modelKey)$/;

/** Returns the fix for a problem; null if only the author can know it. */
export function fixOf(config: FlowConfig, finding: FlowFinding): FlowFix | null {
  const at = /^\/nodes\/(\d+)/.exec(finding.path)?.[1];
  const position = at === undefined ? -1 : Number(at);
  if (finding.code === 'unknown_reference' && required.test(finding.path)) return null;
  return fixes[finding.code]?.(config, config.nodes[position], finding, position) ?? null;
}
