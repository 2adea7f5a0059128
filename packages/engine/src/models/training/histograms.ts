import { type BinnedFeature, slotsBeside } from './bin-features.ts';

/** Numbers of a bin: sum of gradients, sum of second derivatives, rows. */
export const perBin = 3;

/** First and second derivatives of the loss, and row numbers, of which each node of a tree owns a part. */
export interface Gradients {
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly order: Int32Array;
}

export const histogramSize = (features: readonly BinnedFeature[]): number =>
  perBin * features.reduce((sum, { bins }) => sum + bins + slotsBeside, 0);

/** Sums the rows `order[from]` to before `order[to]` by bin. */
export function fillHistogram(
  histogram: Float64Array,
  features: readonly BinnedFeature[],
  { first, second, order }: Gradients,
  from: number,
  to: number,
): void {
  histogram.fill(0);
  for (const { binOf, offset } of features) {
    for (let at = from; at < to; at++) {
      const row = order[at]!;
      const slot = (offset + binOf[row]!) * perBin;
      histogram[slot]! += first[row]!;
      histogram[slot + 1]! += second[row]!;
      histogram[slot + 2]! += 1;
    }
  }
}

/** Leaves the rest of a node in its histogram, after one child's share. */
export function subtractHistogram(histogram: Float64Array, share: Float64Array): void {
  for (let at = 0; at < histogram.length; at++) histogram[at]! -= share[at]!;
}
