import { pointerStep } from '../compile/config-problems.ts';
import { deepestCall, maxPlacedNodes } from '../compile/placed-nodes.ts';
import { readObject } from '../config-values.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { shortenWord } from '../words/word-texts.ts';
import type { FlowIssue } from './flow-issues.ts';
import type { KnownFlow } from './flow-references.ts';

/** A call of another flow. `path`: JSON Pointer to the name of the called flow. */
export interface FlowCall {
  readonly path: string;
  readonly nodeId: string | null;
  /** Key or id. */
  readonly flow: string;
}

/** The calls of a flow's enabled nodes, in order. Reads any config. */
export function flowCalls(config: unknown): readonly FlowCall[] {
  const nodes = isObject(config as Json | undefined) ? (config as JsonObject).nodes : [];
  const list: readonly Json[] = Array.isArray(nodes) ? nodes : [];
  return list.flatMap((node, at) => (isObject(node) && node.enabled !== false ? callsOfNode(node, at) : []));
}

function callsOfNode(node: JsonObject, at: number): FlowCall[] {
  const config = readObject(node.config);
  const nodeId = typeof node.id === 'string' ? node.id : null;
  const call = (path: string, flow: Json | undefined): FlowCall[] =>
    typeof flow === 'string' ? [{ path: `/nodes/${at}/config${path}`, nodeId, flow }] : [];
  if (node.type === 'call_flow') return call('/flowKey', config.flowKey);
  if (node.type !== 'conditional') return [];
  return ['onTrue', 'onFalse'].flatMap((side) => {
    const branch = readObject(config[side]);
    return branch.action === 'call_flow' ? call(`/${pointerStep(side)}/flowKey`, branch.flowKey) : [];
  });
}

/**
 * Circles and depth over the published versions of the called flows and of those that call this one; at publish also
 * that each called flow can run.
 */
export function checkCalls(
  config: unknown,
  flows: readonly KnownFlow[],
  ownKey: string | null,
  use: 'draft' | 'publish',
  errors: FlowIssue[],
): void {
  const calls = flowCalls(config);
  if (calls.length === 0) return;
  const graph = callGraph(flows);
  const above = ownKey === null ? 0 : longestTo(ownKey, graph, new Map());
  const chains = new Map<string, Length>();
  const sizes = new Map<string, number>();
  let size = 0;
  for (const { path, nodeId, flow } of calls) {
    const refuse = (code: string, message: string, kind: 'P' | 'U' = 'P') =>
      void errors.push({ path, nodeId, code, message, class: kind });
    const key = graph.keyOf(flow);
    // Unknown flows are already reported as an unknown reference.
    if (key === null) continue;
    const below = longestFrom(key, graph, ownKey, chains);
    if (below === 'circle') {
      refuse('cycle_in_call_flow', `must not call ${shortenWord(key)}: the calls form a cycle`);
      continue;
    }
    size += sizeOf(key, graph, sizes);
    if (size > maxPlacedNodes) {
      refuse('too_large', `a flow can run at most ${maxPlacedNodes} nodes, including the nodes of each flow it calls`);
      return;
    }
    if (above + 1 + below > deepestCall) {
      refuse('call_depth', `creates a chain of ${above + 1 + below} calls; the limit is ${deepestCall}`);
    }
    if (use === 'publish' && graph.calls.get(key) === null) {
      refuse('sub_flow_unpublished', `the flow ${shortenWord(key)} is inactive or was never published`, 'U');
    }
  }
}

interface CallGraph {
  /** Called keys by key; null for a flow that cannot run. */
  readonly calls: ReadonlyMap<string, readonly string[] | null>;
  readonly nodes: ReadonlyMap<string, number>;
  keyOf(keyOrId: string): string | null;
}

function callGraph(flows: readonly KnownFlow[]): CallGraph {
  const keys = new Set(flows.map(({ key }) => key));
  const byId = new Map(flows.map(({ id, key }) => [id, key]));
  const keyOf = (flow: string): string | null => (keys.has(flow) ? flow : (byId.get(flow.toLowerCase()) ?? null));
  const known = (names: readonly string[]) => names.map(keyOf).filter((key) => key !== null);
  return {
    calls: new Map(flows.map(({ key, calls }) => [key, calls === null ? null : known(calls)])),
    nodes: new Map(flows.map(({ key, nodes = 0 }) => [key, nodes])),
    keyOf,
  };
}

/** Nodes of a flow with those of all flows that it calls, once for each call. Only for flows without a circle below them. */
function sizeOf(key: string, graph: CallGraph, known: Map<string, number>): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  let size = graph.nodes.get(key) ?? 0;
  for (const next of graph.calls.get(key) ?? []) size += sizeOf(next, graph, known);
  known.set(key, size);
  return size;
}

type Length = number | 'circle';

/**
 * Returns the number of calls in the longest chain that starts at a flow; `circle` when a chain comes back to `own` or
 * to itself. `known`: earlier results, and flows in progress (`circle` until their result is known).
 */
function longestFrom(key: string, graph: CallGraph, own: string | null, known: Map<string, Length>): Length {
  if (key === own) return 'circle';
  const before = known.get(key);
  if (before !== undefined) return before;
  known.set(key, 'circle');
  let longest = 0;
  for (const next of graph.calls.get(key) ?? []) {
    const below = longestFrom(next, graph, own, known);
    if (below === 'circle') return 'circle';
    longest = Math.max(longest, below + 1);
  }
  known.set(key, longest);
  return longest;
}

/** Calls in the longest chain of published flows that ends at a flow. `known`: as above; a circle counts as no caller. */
function longestTo(key: string, graph: CallGraph, known: Map<string, number>): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  known.set(key, 0);
  let longest = 0;
  for (const [caller, calls] of graph.calls) {
    if (calls?.includes(key)) longest = Math.max(longest, longestTo(caller, graph, known) + 1);
  }
  known.set(key, longest);
  return longest;
}
