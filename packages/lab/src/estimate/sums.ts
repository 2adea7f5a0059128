/** Values added one by one; more of them are added in halves. */
const blockSize = 64;

/** Adds up in a fixed order, in pairs, so that the result doesn't depend on how the values were collected. */
export function sum(values: Float64Array, from = 0, to = values.length): number {
  if (to - from <= blockSize) {
    let total = 0;
    for (let at = from; at < to; at++) total += values[at]!;
    return total;
  }
  const middle = from + ((to - from) >> 1);
  return sum(values, from, middle) + sum(values, middle, to);
}

export const mean = (values: Float64Array): number => (values.length === 0 ? 0 : sum(values) / values.length);

/** Adds up what each row says. */
export function sumOf(count: number, valueAt: (at: number) => number): number {
  const values = new Float64Array(count);
  for (let at = 0; at < count; at++) values[at] = valueAt(at);
  return sum(values);
}
