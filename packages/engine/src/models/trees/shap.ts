import { type FeatureValues, goesLeft, leafOf } from './feature-values.ts';
import type { Forest } from './forest.ts';
import { maxDepth } from './forest-limits.ts';
import { type Quadrature, quadrature } from './quadrature.ts';

/** What each feature adds to the margin of one case, in logits. */
export interface ForestShap {
  /** By feature number; 0 where no split reads it. */
  readonly values: Float64Array;
  /** The margin when nothing is known: the start value, and each tree's mean leaf, weighted by cover. */
  readonly baseline: number;
  /** The start value and the case's leaves. */
  readonly rawMargin: number;
  /** |baseline + sum of values - rawMargin|, unrounded. */
  readonly additivityResidual: number;
}

/**
 * Exact Shapley values of path-dependent TreeSHAP (Lundberg and others, 2020): a feature outside the set follows both
 * sides, weighted by cover. A leaf is then a product over the features of its way, and a feature's value is an integral
 * over such products. Quadrature computes it exactly with positive terms alone, so deep trees lose no digits, unlike the
 * division of polynomials that the usual algorithm makes.
 */
export function forestShap(forest: Forest, values: FeatureValues): ForestShap {
  const sums = new Float64Array(forest.features.length);
  const walk = createWalk(forest, values, sums);
  let baseline = forest.initScore;
  let rawMargin = forest.initScore;
  for (let tree = 0; tree < forest.roots.length; tree++) {
    walk.mean = 0;
    descend(walk, forest.roots[tree]!, 0, 1);
    baseline += walk.mean;
    rawMargin += forest.leafValue[leafOf(forest, tree, values)]!;
  }
  let sum = baseline;
  for (const value of sums) sum += value;
  return { values: sums, baseline, rawMargin, additivityResidual: Math.abs(sum - rawMargin) };
}

/**
 * The way from a root to where the walk is: each feature once, with the share of the cases that go along (`cold`) and
 * whether this case does (`hot`, 1 or 0).
 */
interface Walk {
  readonly forest: Forest;
  readonly values: FeatureValues;
  readonly sums: Float64Array;
  readonly features: Int32Array;
  readonly hot: Float64Array;
  readonly cold: Float64Array;
  /** Place of a feature on the way; -1: not on it. */
  readonly placeOf: Int32Array;
  /** Cover-weighted mean of the leaves seen. */
  mean: number;
}

function createWalk(forest: Forest, values: FeatureValues, sums: Float64Array): Walk {
  return {
    forest,
    values,
    sums,
    features: new Int32Array(maxDepth + 1),
    hot: new Float64Array(maxDepth + 1),
    cold: new Float64Array(maxDepth + 1),
    placeOf: new Int32Array(forest.features.length).fill(-1),
    mean: 0,
  };
}

/** `length`: features on the way; `share`: the part of all cases that gets here. The check has bounded the depth. */
function descend(walk: Walk, node: number, length: number, share: number): void {
  const { forest } = walk;
  if (node < 0) {
    const leaf = forest.leafValue[~node]!;
    walk.mean += share * leaf;
    if (leaf !== 0) addLeaf(walk, leaf, length);
    return;
  }
  const left = forest.left[node]!;
  const right = forest.right[node]!;
  const leftCover = left < 0 ? forest.leafCover[~left]! : forest.splitCover[left]!;
  const rightCover = right < 0 ? forest.leafCover[~right]! : forest.splitCover[right]!;
  const isLeft = goesLeft(forest, node, walk.values);
  const leftShare = leftCover / (leftCover + rightCover);
  step(walk, node, left, length, share, leftShare, isLeft);
  step(walk, node, right, length, share, rightCover / (leftCover + rightCover), !isLeft);
}

function step(
  walk: Walk,
  split: number,
  child: number,
  length: number,
  share: number,
  sideShare: number,
  isHot: boolean,
): void {
  // Nobody comes here, neither this case nor those that the covers count.
  if (!isHot && sideShare === 0) return;
  const { placeOf, hot, cold, features } = walk;
  const feature = walk.forest.feature[split]!;
  const place = placeOf[feature]!;
  if (place < 0) {
    placeOf[feature] = length;
    features[length] = feature;
    hot[length] = isHot ? 1 : 0;
    cold[length] = sideShare;
    descend(walk, child, length + 1, share * sideShare);
    placeOf[feature] = -1;
    return;
  }
  const hotBefore = hot[place]!;
  const coldBefore = cold[place]!;
  if (!isHot) hot[place] = 0;
  cold[place] = coldBefore * sideShare;
  if (hot[place]! > 0 || cold[place]! > 0) descend(walk, child, length, share * sideShare);
  hot[place] = hotBefore;
  cold[place] = coldBefore;
}

/** Adds the Shapley value of a leaf to each feature on its way. */
function addLeaf({ sums, features, hot, cold }: Walk, leaf: number, length: number): void {
  // The integrand has degree length - 1.
  const { points, weights }: Quadrature = quadrature((length + 1) >> 1 || 1);
  for (let k = 0; k < points.length; k++) {
    const point = points[k]!;
    let product = leaf * weights[k]!;
    for (let at = 0; at < length; at++) product *= point * hot[at]! + (1 - point) * cold[at]!;
    for (let at = 0; at < length; at++) {
      const factor = point * hot[at]! + (1 - point) * cold[at]!;
      const feature = features[at]!;
      sums[feature]! += (product / factor) * (hot[at]! - cold[at]!);
    }
  }
}
