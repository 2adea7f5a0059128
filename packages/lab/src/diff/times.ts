/** Eight buckets per doubling: values are accurate to 9 %. */
const perDoubling = 8;

/** Returns the bucket of a time in microseconds. */
export const bucketOf = (microseconds: number): number =>
  Math.max(0, Math.round(Math.log2(Math.max(1, microseconds)) * perDoubling));

/** Returns a quantile of times counted by bucket, in microseconds; null without times. */
export function quantileOf(times: Readonly<Record<string, number>>, share: number): number | null {
  const buckets = Object.entries(times)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= total * share) return Math.round(2 ** (bucket / perDoubling) * 10) / 10;
  }
  return null;
}
