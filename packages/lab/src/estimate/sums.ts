import { pairwiseSum } from '../pairwise-sum.ts';

export const mean = (values: Float64Array): number => (values.length === 0 ? 0 : pairwiseSum(values) / values.length);

/** Returns the sum over rows. */
export function sumOf(count: number, numberAt: (at: number) => number): number {
  const values = new Float64Array(count);
  for (let at = 0; at < count; at++) values[at] = numberAt(at);
  return pairwiseSum(values);
}
