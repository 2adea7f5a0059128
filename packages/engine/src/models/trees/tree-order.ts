import { type Forest, splitBits } from './forest.ts';

/** Leaves that a tree may have so that the possible ones fit one number. */
export const leavesPerTree = 32;

/**
 * How each tree is scored. Trees that don't depend on the offer are walked once per decision. Small trees that do keep
 * their reachable leaves as bits, leftmost first: a split that sends a case right clears the leaves to its left, and the
 * first remaining leaf is the case's (QuickScorer, Lucchese and others, SIGIR 2015). Offers and customers clear leaves
 * independently, so each offer's part is computed once. Larger trees are walked for each offer.
 */
export interface TreeOrder {
  readonly shared: Int32Array;
  readonly masked: Int32Array;
  readonly walked: Int32Array;
  /** By split of a masked tree: the tree's position in `masked`, and the leaves that stay when a case goes right. */
  readonly place: Int32Array;
  readonly keep: Int32Array;
  /** Splits of masked trees that read what all offers share, and those that read the offer. */
  readonly sharedSplits: readonly FeatureSplits[];
  readonly offerSplits: readonly FeatureSplits[];
  /** `leavesPerTree` by masked tree. */
  readonly leafValue: Float64Array;
}

/** The splits of masked trees that read one feature. */
export interface FeatureSplits {
  readonly feature: number;
  /** Splits at a number, lowest threshold first: those that send a number to the right come first. */
  readonly atMost: SortedSplits;
  readonly below: SortedSplits;
  /** True: 0 may count as missing. */
  readonly readsZero: boolean;
  readonly sets: Int32Array;
}

export interface SortedSplits {
  readonly splits: Int32Array;
  readonly thresholds: Float64Array;
  /** As `TreeOrder.place` and `TreeOrder.keep`, in this order. */
  readonly places: Int32Array;
  readonly keeps: Int32Array;
}

/** `isOfOffer`: by feature, 1 when it differs between the offers of a decision. */
export function arrangeTrees(forest: Forest, isOfOffer: Uint8Array): TreeOrder {
  const { firstSplit, firstLeaf, feature } = forest;
  const shared: number[] = [];
  const masked: number[] = [];
  const walked: number[] = [];
  for (let tree = 0; tree < forest.roots.length; tree++) {
    let varies = false;
    for (let split = firstSplit[tree]!; split < firstSplit[tree + 1]!; split++) {
      varies ||= isOfOffer[feature[split]!] === 1;
    }
    const leaves = firstLeaf[tree + 1]! - firstLeaf[tree]!;
    (varies ? (leaves <= leavesPerTree ? masked : walked) : shared).push(tree);
  }
  const place = new Int32Array(feature.length);
  const keep = new Int32Array(feature.length);
  const leafValue = new Float64Array(masked.length * leavesPerTree);
  const splits: number[] = [];
  for (const [at, tree] of masked.entries()) {
    const first = firstLeaf[tree]!;
    leafValue.set(forest.leafValue.subarray(first, firstLeaf[tree + 1]!), at * leavesPerTree);
    for (let split = firstSplit[tree]!; split < firstSplit[tree + 1]!; split++) {
      place[split] = at;
      keep[split] = ~leavesFrom(
        edgeLeaf(forest.left[split]!, forest.left) - first,
        edgeLeaf(forest.left[split]!, forest.right) - first,
      );
      splits.push(split);
    }
  }
  const byFeature = groupSplits(forest, splits, place, keep);
  return {
    shared: Int32Array.from(shared),
    masked: Int32Array.from(masked),
    walked: Int32Array.from(walked),
    place,
    keep,
    sharedSplits: byFeature.filter(({ feature }) => isOfOffer[feature] === 0),
    offerSplits: byFeature.filter(({ feature }) => isOfOffer[feature] === 1),
    leafValue,
  };
}

function groupSplits(forest: Forest, splits: readonly number[], place: Int32Array, keep: Int32Array): FeatureSplits[] {
  const groups = new Map<number, number[]>();
  for (const split of splits) {
    const feature = forest.feature[split]!;
    const group = groups.get(feature);
    if (group === undefined) groups.set(feature, [split]);
    else group.push(split);
  }
  const sorted = (chosen: readonly number[]): SortedSplits => {
    const order = chosen.toSorted((a, b) => forest.threshold[a]! - forest.threshold[b]!);
    return {
      splits: Int32Array.from(order),
      thresholds: Float64Array.from(order, (split) => forest.threshold[split]!),
      places: Int32Array.from(order, (split) => place[split]!),
      keeps: Int32Array.from(order, (split) => keep[split]!),
    };
  };
  const has = (split: number, bit: number): boolean => (forest.rule[split]! & bit) !== 0;
  return [...groups].map(([feature, group]) => {
    const numeric = group.filter((split) => forest.set[split]! < 0);
    return {
      feature,
      atMost: sorted(numeric.filter((split) => !has(split, splitBits.isLess))),
      below: sorted(numeric.filter((split) => has(split, splitBits.isLess))),
      readsZero: numeric.some((split) => has(split, splitBits.zeroIsMissing)),
      sets: Int32Array.from(group.filter((split) => forest.set[split]! >= 0)),
    };
  });
}

/** The first or last leaf below a node, by the side that is followed. */
function edgeLeaf(node: number, side: Int32Array): number {
  let at = node;
  while (at >= 0) at = side[at]!;
  return ~at;
}

/** Bits of the leaves from one to another, both included; leaf 0 is the highest bit. */
function leavesFrom(first: number, last: number): number {
  return (0xffffffff >>> first) & (0xffffffff << (leavesPerTree - 1 - last));
}
