import type { ErrorEntry, JourneyDefinition, JourneyEdge, JourneyNode } from '@arbiter/contract';

/** A definition in the form that steps read. */
export interface JourneyGraph {
  readonly entry: JourneyNode;
  readonly nodes: ReadonlyMap<string, JourneyNode>;
  /** The node behind this one; null: the path ends. `when`: the result of a split. */
  next(nodeId: string, when?: boolean): string | null;
}

/** Returns the graph of a definition without problems. */
export function graphOf({ nodes, edges }: JourneyDefinition): JourneyGraph {
  const entry = nodes.find(({ type }) => type === 'entry_trigger');
  if (entry === undefined) throw new Error('a stored journey has an entry');
  const targets = new Map(edges.map((edge) => [edgeKey(edge.from, edge.when), edge.to]));
  return {
    entry,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    next: (nodeId, when) => targets.get(edgeKey(nodeId, when)) ?? null,
  };
}

const edgeKey = (from: string, when: boolean | undefined): string => `${from} ${when ?? ''}`;

/** Returns why a definition can't run (422 `pipeline_invalid`), with paths into the body. */
export function definitionProblems({ nodes, edges }: JourneyDefinition): ErrorEntry[] {
  const problems = [...nodeProblems(nodes), ...edgeProblems(nodes, edges)];
  // What follows reads the graph, which needs unique ids and complete edges.
  if (problems.length > 0) return problems;
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  return [
    ...nodes.flatMap((node, at) => wayProblems(node, at, outgoing.get(node.id) ?? [])),
    ...unreachable(nodes, outgoing),
    ...restlessCycles(nodes, outgoing),
    ...resultProblems(nodes, edges),
  ];
}

function nodeProblems(nodes: readonly JourneyNode[]): ErrorEntry[] {
  const entries = nodes.filter(({ type }) => type === 'entry_trigger');
  const ids = new Set<string>();
  const problems = nodes.flatMap(({ id }, at): ErrorEntry[] => {
    const isRepeated = ids.has(id);
    ids.add(id);
    return isRepeated
      ? [{ path: `/definition/nodes/${at}/id`, message: 'is used by more than one node', nodeId: id }]
      : [];
  });
  if (entries.length === 1) return problems;
  const message = entries.length === 0 ? 'must contain an entry_trigger' : 'must contain only one entry_trigger';
  return [...problems, { path: '/definition/nodes', message }];
}

function edgeProblems(nodes: readonly JourneyNode[], edges: readonly JourneyEdge[]): ErrorEntry[] {
  const types = new Map(nodes.map(({ id, type }) => [id, type]));
  const taken = new Set<string>();
  return edges.flatMap(({ from, to, when }, at): ErrorEntry[] => {
    const path = `/definition/edges/${at}`;
    const key = edgeKey(from, when);
    const isRepeated = taken.has(key);
    taken.add(key);
    if (!types.has(from)) return [{ path: `${path}/from`, message: 'must be the ID of a node' }];
    if (!types.has(to)) return [{ path: `${path}/to`, message: 'must be the ID of a node' }];
    if (types.get(to) === 'entry_trigger') {
      return [{ path: `${path}/to`, message: 'must not lead back to the entry', nodeId: to }];
    }
    const isSplit = types.get(from) === 'condition_split';
    if (isSplit !== (when !== undefined)) {
      const message = isSplit ? 'is required after a condition_split' : 'is only allowed on edges of a condition_split';
      return [{ path: `${path}/when`, message, nodeId: from }];
    }
    return isRepeated ? [{ path, message: 'leaves the node the same way as another edge', nodeId: from }] : [];
  });
}

function wayProblems({ id, type }: JourneyNode, at: number, edges: readonly JourneyEdge[]): ErrorEntry[] {
  const path = `/definition/nodes/${at}`;
  if (type === 'exit')
    return edges.length === 0 ? [] : [{ path, message: 'is an exit, so it must not have outgoing edges', nodeId: id }];
  if (type === 'entry_trigger' && edges.length === 0) {
    return [{ path, message: 'must have an edge to the next node', nodeId: id }];
  }
  if (type !== 'condition_split') return [];
  return [true, false]
    .filter((when) => !edges.some((edge) => edge.when === when))
    .map((when) => ({ path, message: `must have an edge with \`when: ${when}\``, nodeId: id }));
}

type Outgoing = ReadonlyMap<string, readonly JourneyEdge[]>;

function unreachable(nodes: readonly JourneyNode[], outgoing: Outgoing): ErrorEntry[] {
  const entry = nodes.find(({ type }) => type === 'entry_trigger');
  const reached = new Set<string>();
  const open = entry === undefined ? [] : [entry.id];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    for (const { to } of outgoing.get(id) ?? []) open.push(to);
  }
  return nodes.flatMap(({ id }, at) =>
    reached.has(id)
      ? []
      : [{ path: `/definition/nodes/${at}`, message: "can't be reached from the entry", nodeId: id }],
  );
}

/** Finds cycles without a wait: takes away what leads nowhere, without waits, until only cycles are left. */
function restlessCycles(nodes: readonly JourneyNode[], outgoing: Outgoing): ErrorEntry[] {
  const left = new Set(nodes.filter(({ type }) => type !== 'wait').map(({ id }) => id));
  const leadsOn = (id: string) => (outgoing.get(id) ?? []).some(({ to }) => left.has(to));
  for (let isSmaller = true; isSmaller; ) {
    const ends = [...left].filter((id) => !leadsOn(id));
    for (const id of ends) left.delete(id);
    isSmaller = ends.length > 0;
  }
  const at = nodes.findIndex(({ id }) => left.has(id));
  if (at === -1) return [];
  return [
    {
      path: `/definition/nodes/${at}`,
      message: 'leads into a cycle without a wait',
      nodeId: nodes[at]!.id,
    },
  ];
}

/** The decision that a message sends must be on a path to it. */
function resultProblems(nodes: readonly JourneyNode[], edges: readonly JourneyEdge[]): ErrorEntry[] {
  const incoming = Map.groupBy(edges, ({ to }) => to);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return nodes.flatMap((node, at): ErrorEntry[] => {
    if (node.type !== 'channel_action') return [];
    const from = node.config.from ?? defaultResultKey;
    const isBefore = [...nodesBefore(node.id, incoming)].some((id) => {
      const before = byId.get(id);
      return before?.type === 'nba_decision' && resultKeyOf(before) === from;
    });
    if (isBefore) return [];
    const message = `must be the resultKey of an nba_decision before it`;
    return [{ path: `/definition/nodes/${at}/config/from`, message, nodeId: node.id }];
  });
}

function nodesBefore(id: string, incoming: Outgoing): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { from } of incoming.get(next) ?? []) {
      if (found.has(from)) continue;
      found.add(from);
      open.push(from);
    }
  }
  return found;
}

/** Where a decision's result is stored if the node doesn't say. */
export const defaultResultKey = 'decision';

/** Names of all results in the context of a journey's enrollments. */
export const resultKeys = ({ nodes }: JourneyDefinition): string[] =>
  nodes.flatMap((node) => (node.type === 'nba_decision' ? [resultKeyOf(node)] : []));

/** Where a node stores its decision. */
export const resultKeyOf = ({ config }: Extract<JourneyNode, { type: 'nba_decision' }>): string =>
  config.resultKey ?? defaultResultKey;
