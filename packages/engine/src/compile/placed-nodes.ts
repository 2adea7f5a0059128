import { readObject, readWord } from '../config-values.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import type { FlowNode, Json, Snapshot, SnapshotSubFlow } from '../plan/snapshot.ts';

export type CallMode = 'narrow' | 'merge' | 'replace';

/** The sides of a conditional, and the place of the call in a call_flow node. */
export type CallSide = 'onTrue' | 'onFalse' | 'call';

/** An enabled node of the plan's flow, or of a flow that it calls, in its place. */
export interface PlacedNode {
  /**
   * Has an id that's unique in the whole plan: a node of a called flow has the id of the calling node before its own
   * (`call/qualify`, for the side of a conditional `branch.onTrue/qualify`).
   */
  readonly node: FlowNode;
  /** The node's flow, and its id there. */
  readonly flow: SnapshotSubFlow;
  readonly ownId: string;
  /** Put before the names of its stages: empty, or `call_flow:<key>/`. */
  readonly prefix: string;
  readonly phase: number;
  /** The calls that it can make, by side. */
  readonly calls: ReadonlyMap<CallSide, PlacedCall>;
}

export interface PlacedCall {
  readonly mode: CallMode;
  /** Null: the call is closed, because the flow cannot run. */
  readonly flow: SnapshotSubFlow | null;
  /** The caller's name for it. */
  readonly name: string;
  /** The called flow's nodes up to the call's phase; only those of phase 3 when the call is in that phase. */
  readonly nodes: readonly PlacedNode[];
}

/** A chain of calls is at most this long (docs/design/api-decisioning.md 7). */
export const deepestCall = 5;
/** Nodes that a flow may have with those of the flows that it calls, once for each call. */
export const maxPlacedNodes = 2000;

interface Caller {
  readonly prefix: string;
  readonly path: string;
  /** Keys of the flows from the plan's own to the one that is placed. */
  readonly chain: readonly string[];
}

/**
 * Places the nodes of a flow and of all flows that it may call. Publishing ensures that chains of calls end
 * (`checkCalls`). If two flows published at the same moment slipped past it, the call that would continue the cycle is closed.
 */
export function placeNodes({ flow, subFlows = [] }: Pick<Snapshot, 'flow' | 'subFlows'>): readonly PlacedNode[] {
  const known = new Map<string, SnapshotSubFlow>(subFlows.flatMap((each) => [[each.id, each] as const]));
  // A key takes precedence over an ID, as everywhere.
  for (const each of subFlows) known.set(each.key, each);
  const find = (name: string): SnapshotSubFlow | undefined => known.get(name) ?? known.get(name.toLowerCase());
  let left = maxPlacedNodes;

  function place(own: SnapshotSubFlow, caller: Caller, isWanted: (phase: number) => boolean): PlacedNode[] {
    const enabled = own.config.nodes.filter(({ enabled }) => enabled !== false);
    let phase = 1;
    const placed: PlacedNode[] = [];
    for (const node of enabled) {
      const kind = nodeKinds.get(node.type);
      if (kind !== undefined && kind.phase !== 'any') phase = Math.max(phase, kind.phase);
      const there = node.type === 'extension_point' ? hookPhase(node) : phase;
      if (!isWanted(there)) continue;
      left -= 1;
      const path = caller.path + node.id;
      const calls = new Map<CallSide, PlacedCall>();
      for (const { side, name, mode } of callsOf(node)) {
        const from = side === 'call' ? path : `${path}.${side}`;
        calls.set(side, call(name, mode, there, { ...caller, path: `${from}/` }));
      }
      const named = caller.path === '' ? node : { ...node, id: path };
      placed.push({ node: named, flow: own, ownId: node.id, prefix: caller.prefix, phase: there, calls });
    }
    return placed;
  }

  function call(name: string, mode: CallMode, phase: number, { path, chain }: Caller): PlacedCall {
    const called = find(name);
    const closed: PlacedCall = { mode, flow: null, name, nodes: [] };
    if (called === undefined || chain.includes(called.key) || chain.length > deepestCall) return closed;
    const caller = { prefix: `call_flow:${called.key}/`, path, chain: [...chain, called.key] };
    const nodes = place(called, caller, (each) => (phase === 3 ? each === 3 : each <= phase));
    return left < 0 ? closed : { mode, flow: called, name, nodes };
  }

  return place(flow, { prefix: '', path: '', chain: [flow.key] }, () => true);
}

/**
 * Returns the phase in which a hook works, wherever its node is: a flow without a score node scores at the start of
 * phase 2.
 */
function hookPhase({ config }: FlowNode): number {
  return config?.hook === 'pre_score' ? 1 : 2;
}

function callsOf({
  type,
  config = {},
}: FlowNode): readonly { readonly side: CallSide; readonly name: string; readonly mode: CallMode }[] {
  const named = (side: CallSide, name: Json | undefined, mode: CallMode) => [
    { side, name: typeof name === 'string' ? name : '', mode },
  ];
  if (type === 'call_flow') {
    return named('call', config.flowKey, readWord(config.mode, ['narrow', 'merge', 'replace']) ?? 'narrow');
  }
  if (type !== 'conditional') return [];
  return (['onTrue', 'onFalse'] as const).flatMap((side) => {
    const { action, flowKey } = readObject(config[side]);
    return action === 'call_flow' ? named(side, flowKey, 'narrow') : [];
  });
}

/** Yields all nodes that may run. Those of a called flow follow the node that calls it. */
export function* everyNode(nodes: readonly PlacedNode[]): Generator<PlacedNode> {
  for (const placed of nodes) {
    yield placed;
    for (const { nodes: called } of placed.calls.values()) yield* everyNode(called);
  }
}
