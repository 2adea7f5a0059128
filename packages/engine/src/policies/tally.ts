/**
 * Sums of one decision by row and bucket: a row is one limit of one assignment (`builder.rows`), a bucket what it is
 * narrowed to. One table for all plans, because decisions are synchronous; `openTally` empties it without touching it.
 */
let stamp = 0;
let used = 0;
let mask = 255;
let stamps = new Int32Array(mask + 1);
let rows = new Int32Array(mask + 1);
let buckets = new Int32Array(mask + 1);
let values = new Float64Array(mask + 1);

const lastStamp = 0x7fffffff;

/** Rows that every plan has; policies take theirs behind. */
export const rowOfCreativeToday = 0;
export const rowOfCreativeLast = 1;
export const rowOfOffer30Days = 2;
export const fixedRows = 3;

/** Begins a decision with no sums. */
export function openTally(): void {
  if (stamp === lastStamp) {
    stamps.fill(0);
    stamp = 0;
  }
  stamp += 1;
  used = 0;
}

/** Whether there is a sum. */
export function hasTally(row: number, bucket: number): boolean {
  return stamps[find(row, bucket)] === stamp;
}

/** Whether the sum, 0 when there is none, is at least `least`. */
export function tallyReaches(row: number, bucket: number, least: number): boolean {
  const at = find(row, bucket);
  return stamps[at] === stamp ? values[at]! >= least : 0 >= least;
}

/** The sum; 0 when there is none. */
export function tallyOf(row: number, bucket: number): number {
  const at = find(row, bucket);
  return stamps[at] === stamp ? values[at]! : 0;
}

/** Adds to a sum; true when it is at least `least` then. */
export function addTally(row: number, bucket: number, count: number, least: number): boolean {
  const at = open(row, bucket, 0);
  values[at] = values[at]! + count;
  return values[at]! >= least;
}

/** Raises a largest number to `numbers[position]`; -Infinity when there is none yet. */
export function raiseTally(row: number, bucket: number, numbers: Float64Array, position: number): void {
  const at = open(row, bucket, Number.NEGATIVE_INFINITY);
  if (numbers[position]! > values[at]!) values[at] = numbers[position]!;
}

/** Place of the pair, or the free one where it belongs. */
function find(row: number, bucket: number): number {
  let at = Math.imul(Math.imul(row, 0x9e3779b1) ^ bucket, 0x85ebca6b);
  at = (at ^ (at >>> 15)) & mask;
  while (stamps[at] === stamp && (rows[at] !== row || buckets[at] !== bucket)) at = (at + 1) & mask;
  return at;
}

function open(row: number, bucket: number, start: number): number {
  let at = find(row, bucket);
  if (stamps[at] === stamp) return at;
  if (used * 2 > mask) {
    grow();
    at = find(row, bucket);
  }
  used += 1;
  stamps[at] = stamp;
  rows[at] = row;
  buckets[at] = bucket;
  values[at] = start;
  return at;
}

function grow(): void {
  const old = { stamps, rows, buckets, values };
  mask = mask * 2 + 1;
  stamps = new Int32Array(mask + 1);
  rows = new Int32Array(mask + 1);
  buckets = new Int32Array(mask + 1);
  values = new Float64Array(mask + 1);
  for (let from = 0; from < old.stamps.length; from++) {
    if (old.stamps[from] !== stamp) continue;
    const at = find(old.rows[from]!, old.buckets[from]!);
    stamps[at] = stamp;
    rows[at] = old.rows[from]!;
    buckets[at] = old.buckets[from]!;
    values[at] = old.values[from]!;
  }
}
