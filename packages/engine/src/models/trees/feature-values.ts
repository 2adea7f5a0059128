import type { Json } from '../../plan/snapshot.ts';
import { type Forest, splitBits } from './forest.ts';

/** The features of one case, by feature number. */
export interface FeatureValues {
  /** NaN: missing. */
  readonly numbers: Float64Array;
  /** Code of the category; `missingCode` or `unknownCode` without one. */
  readonly codes: Int32Array;
}

const unknownCode = -1;
const missingCode = -2;

export const newFeatureValues = ({ features }: Forest): FeatureValues => ({
  numbers: new Float64Array(features.length).fill(Number.NaN),
  codes: new Int32Array(features.length).fill(missingCode),
});

/**
 * Writes a value of a feature. Booleans are 0 and 1. A text is missing for splits that compare numbers; a text or number
 * that no split names is an unknown category, which is in no set; everything else is missing. A number and
 * its text are one category.
 */
export function setFeature(forest: Forest, values: FeatureValues, feature: number, value: Json | undefined): void {
  const number = typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : Number.NaN;
  values.numbers[feature] = forest.isSingle ? Math.fround(number) : number;
  const known = forest.codes[feature]!;
  if (known === null) return;
  if (typeof value === 'string') values.codes[feature] = known.get(value) ?? known.get(numberIn(value)) ?? unknownCode;
  else if (Number.isNaN(number)) values.codes[feature] = missingCode;
  else values.codes[feature] = known.get(number) ?? known.get(String(value)) ?? unknownCode;
}

/** The number that a text is; NaN, which is no category, for others. */
const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** LightGBM's: closer to 0 than that is 0. */
const zeroAtMost = 1e-35;

/** Returns whether a case goes to the left child of a split. */
export function goesLeft(forest: Forest, split: number, { numbers, codes }: FeatureValues): boolean {
  const feature = forest.feature[split]!;
  const rule = forest.rule[split]!;
  const set = forest.set[split]!;
  if (set >= 0) {
    const code = codes[feature]!;
    if (code >= 0) return (((forest.sets[set]![code >>> 5] ?? 0) >>> (code & 31)) & 1) === 1;
    return code === missingCode && (rule & splitBits.missingRight) === 0;
  }
  let number = numbers[feature]!;
  if (Number.isNaN(number)) {
    if ((rule & (splitBits.zeroIsMissing | splitBits.missingIsZero)) === 0)
      return (rule & splitBits.missingRight) === 0;
    number = 0;
  }
  if ((rule & splitBits.zeroIsMissing) !== 0 && Math.abs(number) <= zeroAtMost) {
    return (rule & splitBits.missingRight) === 0;
  }
  const threshold = forest.threshold[split]!;
  return (rule & splitBits.isLess) === 0 ? number <= threshold : number < threshold;
}

/** Returns the leaf of a tree that a case ends in. */
export function leafOf(forest: Forest, tree: number, values: FeatureValues): number {
  let node = forest.roots[tree]!;
  while (node >= 0) node = goesLeft(forest, node, values) ? forest.left[node]! : forest.right[node]!;
  return ~node;
}
