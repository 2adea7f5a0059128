import { type BinnedFeature, slotsBeside } from './bin-features.ts';
import { perBin } from './histograms.ts';

/** Sums over the rows of a node. */
export interface NodeSums {
  readonly first: number;
  readonly second: number;
  readonly count: number;
}

export interface Split {
  /** Position among the features. */
  readonly feature: number;
  /** 1 for slots that go to the left: bins, then missing values, then rare categories. */
  readonly goesLeft: Uint8Array;
  /** Numeric: the last bin on the left. */
  readonly lastBin: number;
  readonly gain: number;
}

export interface SplitRules {
  readonly minLeaf: number;
  readonly l2: number;
}

/** Smallest gain worth a split: below it, differences are rounding. */
const minGain = 1e-9;
/** Added to the second derivatives of a category when categories are sorted, so that rare ones stay in the middle. */
const categorySmoothing = 10;

const quality = (first: number, second: number, l2: number): number => (first * first) / (second + l2);

/** Returns the best split of a node by its histogram; null when none is worth it. Ties go to the earlier feature. */
export function bestSplit(
  histogram: Float64Array,
  features: readonly BinnedFeature[],
  sums: NodeSums,
  rules: SplitRules,
): Split | null {
  let best: Split | null = null;
  for (const [at, feature] of features.entries()) {
    if (feature.bins === 0) continue;
    const found = splitOf(histogram, feature, sums, rules, best?.gain ?? minGain);
    if (found !== null) best = { ...found, feature: at };
  }
  return best;
}

type FeatureSplit = Omit<Split, 'feature'>;

/** Tries every cut between two bins in order, with the missing values on either side. */
function splitOf(
  histogram: Float64Array,
  feature: BinnedFeature,
  sums: NodeSums,
  { minLeaf, l2 }: SplitRules,
  minGainSoFar: number,
): FeatureSplit | null {
  const { bins, offset } = feature;
  const order = binOrder(histogram, feature);
  const missing = (offset + bins) * perBin;
  const missingCount = histogram[missing + 2]!;
  const whole = quality(sums.first, sums.second, l2);
  let bestGain = minGainSoFar;
  let bestCut = -1;
  let missingLeft = false;
  for (const withMissing of missingCount > 0 ? [true, false] : [false]) {
    let first = withMissing ? histogram[missing]! : 0;
    let second = withMissing ? histogram[missing + 1]! : 0;
    let count = withMissing ? missingCount : 0;
    for (let cut = 0; cut < bins; cut++) {
      const slot = (offset + order[cut]!) * perBin;
      first += histogram[slot]!;
      second += histogram[slot + 1]!;
      count += histogram[slot + 2]!;
      if (count < minLeaf) continue;
      if (sums.count - count < minLeaf) break;
      const gain = quality(first, second, l2) + quality(sums.first - first, sums.second - second, l2) - whole;
      if (gain > bestGain) {
        bestGain = gain;
        bestCut = cut;
        // If no row lacks the value, rows that lack it later follow the majority.
        missingLeft = missingCount > 0 ? withMissing : count * 2 >= sums.count;
      }
    }
  }
  if (bestCut < 0) return null;
  const goesLeft = new Uint8Array(bins + slotsBeside);
  for (let cut = 0; cut <= bestCut; cut++) goesLeft[order[cut]!] = 1;
  if (missingLeft) goesLeft[bins] = 1;
  return { goesLeft, lastBin: order[bestCut]!, gain: bestGain };
}

/** Numbers as they are. Categories by their mean gradient: the best of all sets is among the cuts of that order (Fisher, 1958). */
function binOrder(histogram: Float64Array, { isCategorical, bins, offset }: BinnedFeature): Int32Array {
  const order = Int32Array.from({ length: bins }, (_, bin) => bin);
  if (!isCategorical) return order;
  const mean = (bin: number): number => {
    const slot = (offset + bin) * perBin;
    return histogram[slot]! / (histogram[slot + 1]! + categorySmoothing);
  };
  return order.sort((a, b) => mean(a) - mean(b) || a - b);
}
