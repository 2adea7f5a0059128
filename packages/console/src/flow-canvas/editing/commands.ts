import type { FlowNodeType } from '@arbiter/contract/catalogue/flow-node-types';
import { type ConfigNode, type FlowConfig, freeId } from './flow-config.ts';
import { hookAt, type NodePlacement, placementsAfter, rankOf } from './placement.ts';

/** A changed config, and the node to select in it. */
export interface Edited {
  readonly config: FlowConfig;
  readonly selected: string | null;
}

/** Initial settings of node types that would otherwise have problems besides a missing choice. */
const starts: Readonly<Partial<Record<FlowNodeType, Readonly<Record<string, unknown>>>>> = {
  inventory: { scope: 'all' },
  score: { method: 'formula' },
  optimize: { weights: { propensity: 1 } },
  rank: { method: 'topN', topN: 3 },
  call_flow: { mode: 'narrow' },
};

const indexOf = ({ nodes }: FlowConfig, id: string | null): number => nodes.findIndex((node) => node.id === id);

const withNodes = (config: FlowConfig, nodes: readonly ConfigNode[]): FlowConfig => ({ ...config, nodes });

/** Returns where each type of node would go after the selected one; without one, at the end of its phase. */
export function placementsFor(config: FlowConfig, selected: string | null): readonly NodePlacement[] {
  const at = indexOf(config, selected);
  return placementsAfter(config.nodes, at < 0 ? config.nodes.length - 1 : at);
}

/** Adds a node of a type after the selected one, or at the nearest place where it fits. */
export function insertNode(config: FlowConfig, type: FlowNodeType, selected: string | null): Edited {
  const at = placementsFor(config, selected).find((each) => each.type === type)?.at ?? config.nodes.length;
  const own = type === 'extension_point' ? { hook: hookAt(config.nodes, at), kind: 'none' } : (starts[type] ?? {});
  const node = { id: freeId(config.nodes, type), type, config: own };
  return { config: withNodes(config, config.nodes.toSpliced(at, 0, node)), selected: node.id };
}

/** Why a node can't be moved one step. */
export type MoveRefusal = 'edge' | 'order';

/** Moves a node one step, or returns why the order of types forbids it. */
export function moveNode(config: FlowConfig, id: string, step: 1 | -1): Edited | MoveRefusal {
  const at = indexOf(config, id);
  const [node, other] = [config.nodes[at], config.nodes[at + step]];
  if (node === undefined || other === undefined) return 'edge';
  const [first, second] =
    step === 1 ? [rankOf(other.type), rankOf(node.type)] : [rankOf(node.type), rankOf(other.type)];
  if (first !== null && second !== null && first > second) return 'order';
  const isEnd = (rank: number | null) => rank === 0 || rank === rankOf('response');
  if (isEnd(rankOf(node.type)) || isEnd(rankOf(other.type))) return 'order';
  const nodes = config.nodes.toSpliced(at, 1).toSpliced(at + step, 0, node);
  return { config: withNodes(config, nodes), selected: id };
}

/** Turns a node off, or on again. */
export function toggleNode(config: FlowConfig, id: string): Edited {
  const nodes = config.nodes.map((node) => {
    if (node.id !== id) return node;
    const { enabled, ...rest } = node;
    return enabled === false ? rest : { ...rest, enabled: false };
  });
  return { config: withNodes(config, nodes), selected: id };
}

/** Adds a copy of a node right after it. */
export function duplicateNode(config: FlowConfig, id: string): Edited {
  const at = indexOf(config, id);
  const node = config.nodes[at];
  if (node === undefined) return { config, selected: null };
  const copy = { ...node, id: freeId(config.nodes, node.id) };
  return { config: withNodes(config, config.nodes.toSpliced(at + 1, 0, copy)), selected: copy.id };
}

/** Adds a copied node at the place nearest to the selected one where its type fits. */
export function pasteNode(config: FlowConfig, node: ConfigNode, selected: string | null): Edited {
  const place = placementsFor(config, selected).find(({ type }) => type === node.type);
  const copy = { ...node, id: freeId(config.nodes, node.id) };
  const at = place?.at ?? config.nodes.length;
  return { config: withNodes(config, config.nodes.toSpliced(at, 0, copy)), selected: copy.id };
}

/** Removes a node, and selects its neighbor. */
export function removeNode(config: FlowConfig, id: string): Edited {
  const at = indexOf(config, id);
  const nodes = config.nodes.filter((node) => node.id !== id);
  return { config: withNodes(config, nodes), selected: (nodes[at] ?? nodes.at(-1))?.id ?? null };
}

/** Replaces a node's values. */
export function changeNode(config: FlowConfig, id: string, change: (node: ConfigNode) => ConfigNode): Edited {
  return {
    config: withNodes(
      config,
      config.nodes.map((node) => (node.id === id ? change(node) : node)),
    ),
    selected: id,
  };
}

/** Sorts the nodes into the order of their types. Nodes that may be anywhere stay after the one before them. */
export function sortNodes(config: FlowConfig): FlowConfig {
  let rank = 0;
  const places = config.nodes.map((node) => {
    rank = rankOf(node.type) ?? rank;
    return { node, rank };
  });
  return withNodes(
    config,
    places.toSorted((a, b) => a.rank - b.rank).map(({ node }) => node),
  );
}
