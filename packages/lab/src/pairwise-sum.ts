/** Values that are summed one after the other. */
const blockLength = 32;

/**
 * Sums by halves, in the order of the values: the error grows with the logarithm of their number, and the same values give
 * the same bits.
 */
export function pairwiseSum(values: ArrayLike<number>, from = 0, to = values.length): number {
  if (to - from <= blockLength) {
    let sum = 0;
    for (let at = from; at < to; at += 1) sum += values[at]!;
    return sum;
  }
  const middle = from + ((to - from) >> 1);
  return pairwiseSum(values, from, middle) + pairwiseSum(values, middle, to);
}
