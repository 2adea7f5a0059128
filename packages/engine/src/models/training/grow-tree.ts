import type { Json, JsonObject } from '../../plan/snapshot.ts';
import { bestSplit, type NodeSums, type Split, type SplitRules } from './best-split.ts';
import type { BinnedFeature } from './bin-features.ts';
import { fillHistogram, type Gradients, histogramSize, subtractHistogram } from './histograms.ts';

export interface TreeRules extends SplitRules {
  readonly maxDepth: number;
  readonly learningRate: number;
}

/** Grows trees on the same features. Histograms are reused: only those of one way from the root are needed at once. */
export interface TreeGrower {
  readonly names: readonly string[];
  readonly features: readonly BinnedFeature[];
  readonly rules: TreeRules;
  readonly histograms: Float64Array[];
}

export function createGrower(
  names: readonly string[],
  features: readonly BinnedFeature[],
  rules: TreeRules,
): TreeGrower {
  const size = histogramSize(features);
  const histograms = Array.from({ length: rules.maxDepth + 2 }, () => new Float64Array(size));
  return { names, features, rules, histograms };
}

/**
 * Returns a tree for the gradients of the rows `order[0]` to before `order[count]`, which it reorders. Adds the leaf of
 * each of them to `margins`.
 */
export function growTree(grower: TreeGrower, gradients: Gradients, count: number, margins: Float64Array): JsonObject {
  fillHistogram(grower.histograms[0]!, grower.features, gradients, 0, count);
  return growNode({ grower, gradients, margins }, 0, count, 0);
}

interface Growth {
  readonly grower: TreeGrower;
  readonly gradients: Gradients;
  readonly margins: Float64Array;
}

/** The node's histogram is number `depth`. Its children's are the next two: the smaller is counted, the other is the rest. */
function growNode(growth: Growth, from: number, to: number, depth: number): JsonObject {
  const { grower, gradients } = growth;
  const { features, rules, histograms } = grower;
  const sums = sumsOf(gradients, from, to);
  const histogram = histograms[depth]!;
  const split =
    depth < rules.maxDepth && to - from >= 2 * rules.minLeaf ? bestSplit(histogram, features, sums, rules) : null;
  if (split === null) return leafOf(growth, sums, from, to);
  const middle = partition(gradients.order, from, to, features[split.feature]!.binOf, split.goesLeft);
  const leftIsSmall = middle - from <= to - middle;
  const small = leftIsSmall ? ([from, middle] as const) : ([middle, to] as const);
  const large = leftIsSmall ? ([middle, to] as const) : ([from, middle] as const);
  let ofLarge: Float64Array | null = null;
  if (depth + 1 < rules.maxDepth) {
    fillHistogram(histograms[depth + 1]!, features, gradients, ...small);
    subtractHistogram(histogram, histograms[depth + 1]!);
    ofLarge = histogram;
  }
  const smaller = growNode(growth, ...small, depth + 1);
  // The smaller child's is no longer needed; the larger one's takes its place.
  if (ofLarge !== null) histograms[depth + 1]!.set(ofLarge);
  const larger = growNode(growth, ...large, depth + 1);
  return {
    ...splitNode(split, grower),
    left_child: leftIsSmall ? smaller : larger,
    right_child: leftIsSmall ? larger : smaller,
    internal_count: to - from,
  };
}

function sumsOf({ first, second, order }: Gradients, from: number, to: number): NodeSums {
  const sums = { first: 0, second: 0, count: to - from };
  for (let at = from; at < to; at++) {
    const row = order[at]!;
    sums.first += first[row]!;
    sums.second += second[row]!;
  }
  return sums;
}

function leafOf({ grower, gradients, margins }: Growth, sums: NodeSums, from: number, to: number): JsonObject {
  const { learningRate, l2 } = grower.rules;
  const divisor = sums.second + l2;
  const value = divisor > 0 ? (-learningRate * sums.first) / divisor + 0 : 0;
  for (let at = from; at < to; at++) margins[gradients.order[at]!]! += value;
  return { leaf_value: value, leaf_count: to - from };
}

/** Moves the rows of the left child to the front, in order, so that sums don't depend on history. Returns the first of the right. */
function partition(order: Int32Array, from: number, to: number, binOf: Uint16Array, goesLeft: Uint8Array): number {
  const right: number[] = [];
  let at = from;
  for (let next = from; next < to; next++) {
    const row = order[next]!;
    if (goesLeft[binOf[row]!] === 1) order[at++] = row;
    else right.push(row);
  }
  order.set(right, at);
  return at;
}

function splitNode({ feature, goesLeft, lastBin }: Split, { names, features }: TreeGrower): JsonObject {
  const { isCategorical, bins, categories, thresholds } = features[feature]!;
  const threshold: Json = isCategorical
    ? categories.filter((_, bin) => goesLeft[bin] === 1)
    : // After the last bin come missing values alone.
      (thresholds[lastBin] ?? Number.MAX_VALUE);
  return {
    split_feature: names[feature]!,
    threshold,
    decision_type: isCategorical ? '==' : '<=',
    default_left: goesLeft[bins] === 1,
    missing_type: 'nan',
  };
}
