import type { JsonObject } from '../../../plan/snapshot.ts';
import { maxDepth } from '../forest-limits.ts';
import { refuse } from './model-file.ts';

/** A tree as lists of numbers, in which nodes name their children by position. */
export interface LinkedNodes {
  readonly root: number;
  /** How many positions there are. */
  readonly size: number;
  /** The children of a node; null: it's a leaf. */
  childrenOf(node: number): readonly [left: number, right: number] | null;
  /** The node without its children. */
  show(node: number): JsonObject;
  readonly path: string;
}

/**
 * Returns the tree as nested nodes. Refuses trees in which a node has two parents or is its own ancestor, and trees that
 * are too deep. Takes at most one step per node.
 */
export function nestNodes({ root, size, childrenOf, show, path }: LinkedNodes): JsonObject {
  const depths = new Int32Array(size).fill(-1);
  const order = [root];
  depths[root] = 0;
  for (let at = 0; at < order.length; at++) {
    const node = order[at]!;
    for (const child of childrenOf(node) ?? []) {
      if (!Number.isInteger(child) || child < 0 || child >= size)
        refuse(path, `has a node whose child ${child} doesn't exist`);
      if (depths[child] !== -1) refuse(path, `has a cycle: node ${child} is reached twice`);
      depths[child] = depths[node]! + 1;
      if (depths[child]! > maxDepth) refuse(path, `must be at most ${maxDepth} splits deep`);
      order.push(child);
    }
  }
  const nested: (JsonObject | undefined)[] = [];
  // Children come after their parents.
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at]!;
    const children = childrenOf(node);
    nested[node] =
      children === null
        ? show(node)
        : { ...show(node), left_child: nested[children[0]]!, right_child: nested[children[1]]! };
  }
  return nested[root]!;
}
