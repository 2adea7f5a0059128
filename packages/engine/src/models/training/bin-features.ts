import type { Json } from '../../plan/snapshot.ts';
import { maxCategories } from '../trees/forest-limits.ts';
import type { TrainingRows } from './training-rows.ts';

/** A feature in bins: what a split may tell apart. */
export interface BinnedFeature {
  readonly isCategorical: boolean;
  /** Bins without the one of missing values, which is number `bins`. */
  readonly bins: number;
  /** By bin of a numeric feature: a threshold between it and the next. */
  readonly thresholds: readonly number[];
  /** By bin of a categorical feature. Rare categories share no bin: they're `bins + 1`, which always goes right. */
  readonly categories: readonly (string | number)[];
  /** By row. */
  readonly binOf: Uint16Array;
  /** Position of bin 0 in a histogram. */
  readonly offset: number;
}

/** Slots after the bins of a feature: missing values, and categories too rare for a bin. */
export const slotsBeside = 2;

/** Puts each feature into at most `bins` bins of about equal size. */
export function binFeatures({ features, categorical, rows }: TrainingRows, bins: number): BinnedFeature[] {
  let offset = 0;
  return features.map((name, at) => {
    const values = rows.map((row) => row.values[at] ?? null);
    const isCategorical = categorical.has(name) || values.some((value) => typeof value === 'string');
    const feature = isCategorical ? binCategories(values, bins) : binNumbers(values, bins);
    const placed = { ...feature, isCategorical, offset };
    offset += feature.bins + slotsBeside;
    return placed;
  });
}

type Bins = Omit<BinnedFeature, 'isCategorical' | 'offset'>;

function binCategories(values: readonly Json[], bins: number): Bins {
  const counts = new Map<string | number, number>();
  for (const value of values) {
    const category = categoryOf(value);
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  // The most frequent first; ties in the order of their first row.
  const categories = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, Math.min(bins, maxCategories))
    .map(([category]) => category);
  const binOfCategory = new Map(categories.map((category, bin) => [category, bin]));
  const missing = categories.length;
  const binOf = Uint16Array.from(values, (value) => {
    const category = categoryOf(value);
    return category === null ? missing : (binOfCategory.get(category) ?? missing + 1);
  });
  return { bins: categories.length, thresholds: [], categories, binOf };
}

function categoryOf(value: Json): string | number | null {
  if (typeof value === 'string') return value;
  const number = numberOf(value);
  return Number.isNaN(number) ? null : number;
}

/** As scoring reads it: booleans are 0 and 1; NaN: missing. */
function numberOf(value: Json): number {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : Number.NaN;
}

function binNumbers(values: readonly Json[], bins: number): Bins {
  const numbers = Float64Array.from(values, numberOf);
  // Sorting puts NaN last.
  const sorted = numbers.toSorted();
  let known = sorted.length;
  while (known > 0 && Number.isNaN(sorted[known - 1]!)) known -= 1;
  const thresholds = thresholdsOf(sorted.subarray(0, known), bins);
  const count = known === 0 ? 0 : thresholds.length + 1;
  const binOf = Uint16Array.from(numbers, (number) => (Number.isNaN(number) ? count : placeOf(thresholds, number)));
  return { bins: count, thresholds, categories: [], binOf };
}

/** Thresholds between values, so that each bin gets about as many rows as the others; at most `bins - 1` of them. */
function thresholdsOf(sorted: Float64Array, bins: number): number[] {
  let distinct = 0;
  for (let at = 0; at < sorted.length && distinct <= bins; at++) if (sorted[at] !== sorted[at - 1]) distinct += 1;
  const hasFew = distinct <= bins;
  const thresholds: number[] = [];
  let left = sorted.length;
  let inBin = 0;
  for (let at = 0; at + 1 < sorted.length && thresholds.length < bins - 1; at++) {
    inBin += 1;
    const value = sorted[at]!;
    const following = sorted[at + 1]!;
    if (following === value || (inBin < left / (bins - thresholds.length) && !hasFew)) continue;
    const middle = value + (following - value) / 2;
    thresholds.push(middle < following ? middle : value);
    left -= inBin;
    inBin = 0;
  }
  return thresholds;
}

/** The first threshold that is at least the number. */
function placeOf(thresholds: readonly number[], number: number): number {
  let low = 0;
  let high = thresholds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (thresholds[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
