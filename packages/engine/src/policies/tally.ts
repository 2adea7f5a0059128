import type { Tally } from '../plan/scratch.ts';

const fewestPlaces = 256;
const lastStamp = 0x7fffffff;

/** Rows that every plan has. Policies' rows follow. */
export const rowOfCreativeToday = 0;
export const rowOfCreativeLast = 1;
export const rowOfOffer30Days = 2;
/** One row for each window of offer caps: day, week, month, ever. */
export const firstRowOfOfferCaps = 3;
export const fixedRows = 7;

export function createTally(): Tally {
  return { stamp: 0, used: 0, ...columnsOf(fewestPlaces) };
}

function columnsOf(places: number): Omit<Tally, 'stamp' | 'used'> {
  return {
    mask: places - 1,
    stamps: new Int32Array(places),
    rows: new Int32Array(places),
    buckets: new Int32Array(places),
    values: new Float64Array(places),
  };
}

/** Begins a decision with no sums. */
export function openTally(tally: Tally): void {
  if (tally.stamp === lastStamp) {
    tally.stamps.fill(0);
    tally.stamp = 0;
  }
  tally.stamp += 1;
  tally.used = 0;
}

/** Whether there is a sum. */
export function hasTally(tally: Tally, row: number, bucket: number): boolean {
  return tally.stamps[find(tally, row, bucket)] === tally.stamp;
}

/** Returns whether the sum, 0 when there is none, is at least `least`. */
export function tallyReaches(tally: Tally, row: number, bucket: number, least: number): boolean {
  const at = find(tally, row, bucket);
  return tally.stamps[at] === tally.stamp ? tally.values[at]! >= least : 0 >= least;
}

/** Returns the sum, or 0. */
export function tallyOf(tally: Tally, row: number, bucket: number): number {
  const at = find(tally, row, bucket);
  return tally.stamps[at] === tally.stamp ? tally.values[at]! : 0;
}

/** Adds to a sum; true when it is at least `least` then. */
export function addTally(tally: Tally, row: number, bucket: number, count: number, least: number): boolean {
  const at = open(tally, row, bucket, 0);
  const { values } = tally;
  values[at] = values[at]! + count;
  return values[at]! >= least;
}

/** Raises a maximum to `numbers[position]`; -Infinity when there is none yet. */
export function raiseTally(tally: Tally, row: number, bucket: number, numbers: Float64Array, position: number): void {
  const at = open(tally, row, bucket, Number.NEGATIVE_INFINITY);
  const { values } = tally;
  if (numbers[position]! > values[at]!) values[at] = numbers[position]!;
}

/** Place of the pair, or the free one where it belongs. */
function find({ stamp, mask, stamps, rows, buckets }: Tally, row: number, bucket: number): number {
  let at = Math.imul(Math.imul(row, 0x9e3779b1) ^ bucket, 0x85ebca6b);
  at = (at ^ (at >>> 15)) & mask;
  while (stamps[at] === stamp && (rows[at] !== row || buckets[at] !== bucket)) at = (at + 1) & mask;
  return at;
}

function open(tally: Tally, row: number, bucket: number, start: number): number {
  let at = find(tally, row, bucket);
  if (tally.stamps[at] === tally.stamp) return at;
  if (tally.used * 2 > tally.mask) {
    grow(tally);
    at = find(tally, row, bucket);
  }
  tally.used += 1;
  tally.stamps[at] = tally.stamp;
  tally.rows[at] = row;
  tally.buckets[at] = bucket;
  tally.values[at] = start;
  return at;
}

function grow(tally: Tally): void {
  const { stamp, stamps, rows, buckets, values } = tally;
  Object.assign(tally, columnsOf((tally.mask + 1) * 2));
  for (let from = 0; from < stamps.length; from++) {
    if (stamps[from] !== stamp) continue;
    const at = find(tally, rows[from]!, buckets[from]!);
    tally.stamps[at] = stamp;
    tally.rows[at] = rows[from]!;
    tally.buckets[at] = buckets[from]!;
    tally.values[at] = values[from]!;
  }
}
