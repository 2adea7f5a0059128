import type { JsonObject } from '../../plan/snapshot.ts';

/** Numbers that look random, from 0 to below 1; the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface ForestSize {
  readonly features: number;
  readonly trees: number;
  readonly depth: number;
  /** True: every tree has all the splits that the depth allows. */
  readonly isFull?: boolean;
  readonly names?: readonly string[];
}

/** A state with splits of all kinds. */
export function randomForest(next: () => number, size: ForestSize): JsonObject {
  const names = size.names ?? Array.from({ length: size.features }, (_, at) => `f${at}`);
  const node = (depth: number): JsonObject => {
    if (depth === 0 || (size.isFull !== true && next() < 0.15)) {
      return { leaf_value: next() * 2 - 1, leaf_count: 1 + Math.floor(next() * 50) };
    }
    const left = node(depth - 1);
    const right = node(depth - 1);
    const isSet = size.isFull !== true && next() < 0.25;
    return {
      split_feature: Math.floor(next() * size.features),
      threshold: isSet ? ['c0', 'c1', 'c2', 3].filter(() => next() < 0.6) : Math.round(next() * 10),
      decision_type: isSet ? '==' : next() < 0.5 ? '<=' : '<',
      default_left: next() < 0.5,
      missing_type: next() < 0.6 ? 'nan' : next() < 0.5 ? 'zero' : 'none',
      left_child: left,
      right_child: right,
      internal_count: coverOf(left) + coverOf(right),
    };
  };
  return {
    feature_names: [...names],
    objective: 'binary',
    init_score: next() - 0.5,
    trees: Array.from({ length: size.trees }, () => ({ tree_structure: node(size.depth) })),
  };
}

const coverOf = (node: JsonObject): number => Number(node.leaf_count ?? node.internal_count);
