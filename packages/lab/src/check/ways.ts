import type { FlowNode, Json, Snapshot } from '@arbiter/engine';
import { type Formula, formulaOf, negate, nothingFixed } from './formula.ts';
import type { Subject } from './subject.ts';

/** A flow's node with its place in the list of nodes. */
export interface WayNode {
  readonly node: FlowNode;
  readonly at: number;
}

/** What a request with certain answers to the flow's conditionals goes through. */
export interface Way {
  /** Nodes up to the last of phase 1, in order. */
  readonly nodes: readonly WayNode[];
  readonly conditions: readonly { readonly source: WayNode; readonly formula: Formula; readonly side: Side }[];
  /** The node at which everything is dropped; null: none. */
  readonly dropsAt: WayNode | null;
  /** A called flow brings offers of its own, so nothing is known about offers on this path. */
  readonly isOpen: boolean;
}

export type Side = 'onTrue' | 'onFalse';

/** Maximum ways to look at. Each conditional doubles them. */
const maxWays = 64;

/** What the checker does with each node type. `later`: it comes after the gates and drops nothing that is known. */
export const nodeReadings: Readonly<Record<string, 'gate' | 'branch' | 'call' | 'unknown' | 'later'>> = {
  inventory: 'gate',
  match_creatives: 'gate',
  qualify: 'gate',
  contact_policy: 'gate',
  filter: 'gate',
  conditional: 'branch',
  call_flow: 'call',
  // May drop offers: by a row that is missing, a script or a webhook, a lowest score.
  enrich: 'unknown',
  extension_point: 'unknown',
  score: 'unknown',
  optimize: 'later',
  rank: 'later',
  group: 'later',
  compute: 'later',
  set_properties: 'later',
  response: 'later',
};

/** Returns the JSON Pointer of a node in the flow's config. */
const pathOf = ({ at }: WayNode, below = ''): string => `/nodes/${at}${below}`;

export const nodeSubject = (wayNode: WayNode, below = ''): Subject => ({
  type: 'flowNode',
  id: wayNode.node.id,
  name: wayNode.node.name ?? wayNode.node.id,
  path: pathOf(wayNode, below),
});

export const branchFormula = ({ config = {} }: FlowNode): Formula =>
  formulaOf({ list: config.conditions, combinator: config.combinator === 'OR' ? 'OR' : 'AND' }, nothingFixed);

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function actionOf(node: FlowNode, side: Side): { action: string; nodeId: string; flowKey: string } {
  const branch = node.config?.[side];
  const { action, nodeId, flowKey } = isObject(branch) ? branch : {};
  return { action: typeof action === 'string' ? action : 'continue', nodeId: `${nodeId}`, flowKey: `${flowKey}` };
}

/** Whether a called flow can run. */
export function canCall({ subFlows = [] }: Snapshot, name: string): boolean {
  return subFlows.some(({ key, id }) => key === name || id === name.toLowerCase());
}

/** Returns the ways through a flow; null when there are too many to look at. */
export function waysOf(snapshot: Snapshot): readonly Way[] | null {
  const nodes = snapshot.flow.config.nodes
    .map((node, at) => ({ node, at }))
    .filter(({ node }) => node.enabled !== false);
  const ways: Way[] = [];
  const isWhole = follow(snapshot, nodes, 0, { nodes: [], conditions: [], dropsAt: null, isOpen: false }, ways);
  return isWhole ? ways : null;
}

function follow(snapshot: Snapshot, nodes: readonly WayNode[], from: number, way: Way, found: Way[]): boolean {
  for (let at = from; at < nodes.length; at++) {
    const place = nodes[at]!;
    const { node } = place;
    if (node.type === 'conditional') {
      const formula = branchFormula(node);
      return (['onTrue', 'onFalse'] as const).every((side) => {
        const { action, nodeId, flowKey } = actionOf(node, side);
        const isClosed = action === 'call_flow' && !canCall(snapshot, flowKey);
        const next = {
          ...way,
          nodes: [...way.nodes, place],
          conditions: [
            ...way.conditions,
            { source: place, formula: side === 'onTrue' ? formula : negate(formula), side },
          ],
          dropsAt: way.dropsAt ?? (action === 'drop_all' || isClosed ? place : null),
        };
        return follow(snapshot, nodes, action === 'skip_to' ? targetOf(nodes, at, nodeId) : at + 1, next, found);
      });
    }
    way = { ...way, nodes: [...way.nodes, place] };
    if (node.type !== 'call_flow') continue;
    const isKnown = canCall(snapshot, `${node.config?.flowKey}`);
    if (!isKnown) way = { ...way, dropsAt: way.dropsAt ?? place };
    else if (node.config?.mode === 'merge' || node.config?.mode === 'replace') way = { ...way, isOpen: true };
  }
  found.push(way);
  return found.length <= maxWays;
}

const phaseTwo: ReadonlySet<string> = new Set([
  'score',
  'optimize',
  'rank',
  'group',
  'compute',
  'set_properties',
  'response',
]);

/** Returns where skip_to goes: a later node of phase 1, or the first of phase 2. */
function targetOf(nodes: readonly WayNode[], after: number, nodeId: string): number {
  const found = nodes.findIndex(({ node }, at) => at > after && (node.id === nodeId || phaseTwo.has(node.type)));
  return found === -1 ? nodes.length : found;
}
