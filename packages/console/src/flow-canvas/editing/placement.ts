import { type FlowNodeType, flowNodeTypes } from '@arbiter/contract/catalogue/flow-node-types';
import type { ConfigNode } from './flow-config.ts';

/**
 * The order of node types, as the engine checks it (docs/design/api-decisioning.md 7). Null: anywhere between inventory and
 * response.
 */
const ranks: Readonly<Record<FlowNodeType, number | null>> = {
  inventory: 0,
  match_creatives: 1,
  enrich: 1,
  qualify: 1,
  contact_policy: 1,
  filter: 1,
  conditional: 1,
  score: 2,
  optimize: 3,
  rank: 4,
  group: 5,
  compute: 6,
  set_properties: 6,
  response: 7,
  call_flow: null,
  extension_point: null,
};

/** Types of which a flow has at most one node. */
const single = new Set(['inventory', 'match_creatives', 'score', 'optimize', 'rank', 'group', 'response']);

const isKnown = (type: string): type is FlowNodeType => Object.hasOwn(ranks, type);

/** Returns the place of a type in the order of a flow; null for types that may be anywhere. */
export const rankOf = (type: string): number | null => (isKnown(type) ? ranks[type] : null);

const rankRank = ranks.rank ?? 0;
const lastScored = ranks.optimize ?? 0;
const output = ranks.compute ?? 0;

/** Where a new node goes. */
export interface NodePlacement {
  readonly type: FlowNodeType;
  /** Its position in the list of nodes. */
  readonly at: number;
  /** True: right after the selected node. Otherwise, in the nearest place where its type fits. */
  readonly isHere: boolean;
  /** True: the flow already has its only node of this type. */
  readonly isTaken: boolean;
}

/** Returns where each type of node would go after the node at a position; -1: at the start. */
export function placementsAfter(nodes: readonly ConfigNode[], selected: number): readonly NodePlacement[] {
  return flowNodeTypes.map((type) => {
    const at = positionFor(nodes, type, selected + 1);
    const isTaken = single.has(type) && nodes.some((node) => node.type === type && node.enabled !== false);
    return { type, at, isHere: at === selected + 1, isTaken };
  });
}

/** The position nearest to the wanted one that the order of types allows. */
function positionFor(nodes: readonly ConfigNode[], type: FlowNodeType, wanted: number): number {
  const rank = ranks[type];
  if (rank !== null)
    return within(
      nodes,
      wanted,
      (each) => each < rank,
      (each) => each > rank,
    );
  const place = within(
    nodes,
    wanted,
    (each) => each === 0,
    (each) => each === 7,
  );
  const before = nodes.slice(0, place);
  const reached = Math.max(0, ...before.map((node) => rankOf(node.type) ?? 0));
  // A call comes before rank, or after the first node of the output.
  if (type === 'call_flow' && reached >= rankRank && reached < output) {
    return within(
      nodes,
      wanted,
      (each) => each === 0,
      (each) => each >= rankRank,
    );
  }
  // A hook between score and optimize goes after both.
  if (type === 'extension_point' && reached > 1 && reached <= lastScored) {
    return within(
      nodes,
      wanted,
      (each) => each <= lastScored,
      (each) => each >= rankRank,
    );
  }
  return place;
}

/** Clamps a position between the last node that must come before and the first that must come after. */
function within(
  nodes: readonly ConfigNode[],
  wanted: number,
  comesBefore: (rank: number) => boolean,
  comesAfter: (rank: number) => boolean,
): number {
  const known = nodes.map((node) => rankOf(node.type));
  const least = known.findLastIndex((each) => each !== null && comesBefore(each)) + 1;
  const first = known.findIndex((each) => each !== null && comesAfter(each));
  return Math.max(least, Math.min(wanted, first < 0 ? nodes.length : first));
}

/** The hook that an extension point may have at a position. */
export function hookAt(nodes: readonly ConfigNode[], at: number): 'pre_score' | 'score_override' | 'post_rank' {
  const reached = Math.max(0, ...nodes.slice(0, at).map((node) => rankOf(node.type) ?? 0));
  if (reached >= rankRank) return 'post_rank';
  return reached > 1 ? 'score_override' : 'pre_score';
}
