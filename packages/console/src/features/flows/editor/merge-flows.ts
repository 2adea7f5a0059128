import type { ConfigNode, FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { freeId } from '../../../flow-canvas/editing/flow-config.ts';
import { type Side, sameValue } from '../../../forms/editing/changes.ts';

/** A part of a flow that two people changed in different ways. */
export interface FlowConflict {
  /** `node <id>`, `order` or `settings`. */
  readonly key: string;
  /** ID of the node, if the conflict is about one. */
  readonly nodeId: string | null;
  /** Null: the node didn't exist, or was removed. */
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface FlowMerge {
  /** The merged flow. Conflicting parts are the chosen version, or mine without a choice. */
  readonly config: FlowConfig;
  /** Conflicts without a choice. */
  readonly conflicts: readonly FlowConflict[];
  /** IDs of nodes that only others changed, added or removed. */
  readonly others: readonly string[];
}

const byId = ({ nodes }: FlowConfig): ReadonlyMap<string, ConfigNode> => new Map(nodes.map((node) => [node.id, node]));

/** Returns my nodes, with new IDs where others added different nodes with the same ID, and with the references to them. */
function withFreeIds(base: FlowConfig, mine: FlowConfig, theirs: FlowConfig): FlowConfig {
  const [before, added] = [byId(base), byId(theirs)];
  const taken = [...mine.nodes, ...theirs.nodes];
  const newIds = new Map<string, string>();
  for (const node of mine.nodes) {
    const other = added.get(node.id);
    if (before.has(node.id) || other === undefined || sameValue(other, node)) continue;
    const id = freeId(taken, node.id);
    newIds.set(node.id, id);
    // The next one needs an ID of its own.
    taken.push({ ...node, id });
  }
  if (newIds.size === 0) return mine;
  return {
    ...mine,
    nodes: mine.nodes.map((node) => withTargets({ ...node, id: newIds.get(node.id) ?? node.id }, newIds)),
  };
}

/** A conditional node that continues at the renamed nodes. Other types name no nodes. */
function withTargets(node: ConfigNode, newIds: ReadonlyMap<string, string>): ConfigNode {
  if (node.type !== 'conditional' || node.config === undefined) return node;
  const config = { ...node.config };
  for (const side of ['onTrue', 'onFalse']) {
    const nodeId: unknown = Reflect.get(Object(config[side]), 'nodeId');
    const newId = typeof nodeId === 'string' ? newIds.get(nodeId) : undefined;
    if (newId !== undefined) config[side] = { ...Object(config[side]), nodeId: newId };
  }
  return { ...node, config };
}

/**
 * Merges my version of a flow with theirs, node by node. `base`: the version that mine began with. Nodes that only one side changed,
 * added, removed or moved merge automatically. Different changes of the same part need a choice, so nothing is lost.
 */
export function mergeFlows(
  base: FlowConfig,
  mine: FlowConfig,
  theirs: FlowConfig,
  choices: ReadonlyMap<string, Side> = new Map(),
): FlowMerge {
  const own = withFreeIds(base, mine, theirs);
  const [before, my, their] = [byId(base), byId(own), byId(theirs)];
  const conflicts: FlowConflict[] = [];
  const others: string[] = [];
  const resolve = <Value>(key: string, nodeId: string | null, was: Value, one: Value, other: Value): Value => {
    if (sameValue(one, other) || sameValue(was, other)) return one;
    if (sameValue(was, one)) {
      if (nodeId !== null) others.push(nodeId);
      return other;
    }
    const choice = choices.get(key);
    if (choice === undefined) conflicts.push({ key, nodeId, base: was, mine: one, theirs: other });
    return choice === 'theirs' ? other : one;
  };
  const nodes = new Map<string, ConfigNode>();
  for (const id of new Set([...before.keys(), ...my.keys(), ...their.keys()])) {
    const node = resolve(`node ${id}`, id, before.get(id) ?? null, my.get(id) ?? null, their.get(id) ?? null);
    if (node !== null) nodes.set(id, node);
  }
  const common = (config: FlowConfig) =>
    config.nodes.map(({ id }) => id).filter((id) => before.has(id) && my.has(id) && their.has(id));
  const order = resolve('order', null, common(base), common(own), common(theirs));
  const [first, second] = sameValue(order, common(own)) ? [own, theirs] : [theirs, own];
  const settings = resolve('settings', null, base.flowConfig, own.flowConfig, theirs.flowConfig);
  const config = {
    ...theirs,
    ...own,
    flowConfig: settings,
    nodes: ordered(first, second, nodes),
  };
  return { config, conflicts, others };
}

/** The nodes in the first side's order. Those of the second side follow the node that they follow there. */
function ordered(first: FlowConfig, second: FlowConfig, nodes: ReadonlyMap<string, ConfigNode>): ConfigNode[] {
  const ids = first.nodes.map(({ id }) => id);
  for (const [at, { id }] of second.nodes.entries()) {
    if (ids.includes(id)) continue;
    const before = second.nodes[at - 1]?.id;
    ids.splice(before === undefined ? 0 : ids.indexOf(before) + 1, 0, id);
  }
  return ids.flatMap((id) => nodes.get(id) ?? []);
}
