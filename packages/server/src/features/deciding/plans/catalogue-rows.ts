import type { OfferStatus } from '@arbiter/contract';
import type { SnapshotCreative, SnapshotOffer, SnapshotOfferCategory } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { takeTurns } from '../../../platform/turns.ts';
import {
  type BucketPage,
  type BucketPrint,
  bucketOf,
  buckets,
  createSharedValues,
  type SharedValues,
} from '../../catalogue/catalogue-records/index.ts';
import { fingerprintCreatives, snapshotCreatives } from '../../catalogue/creatives/index.ts';
import {
  fingerprintOffers,
  fingerprintOtherOffers,
  snapshotOffers,
  snapshotOtherOffers,
} from '../../catalogue/offers/index.ts';
import { type ContentItems, noContentItems, readContentItems } from './content-items.ts';
import { newPiece, type Piece } from './plan-pieces.ts';

/**
 * Offers and creatives as this process holds them, in pieces of some dozens. The next version of the catalogue reads the
 * pieces whose rows changed and takes the others over as they are, with their hashes.
 */
export interface CatalogueRows {
  /** Results of this read only. */
  readonly wanted: WantedRows;
  readonly pieces: readonly RowPiece[];
  /** All of them, by id. */
  readonly offers: readonly SnapshotOffer[];
  readonly creatives: readonly SnapshotCreative[];
  readonly contentItems: ContentItems;
  /** Undefined when no policy asks for them. */
  readonly otherOffers: readonly SnapshotOfferCategory[] | undefined;
  readonly shared: SharedValues;
}

export interface WantedRows {
  readonly statuses: readonly OfferStatus[];
  readonly otherOffers: boolean;
  /** False: budgets are turned off, and offers have none. */
  readonly budgets: boolean;
  /** False: content management is off, and creatives show their own content. */
  readonly contentItems: boolean;
}

interface RowPiece {
  readonly number: number;
  /** Number and versions of its rows. */
  readonly fingerprint: string;
  readonly rows: Lists;
  readonly piece: Piece;
}

interface Lists {
  readonly offers: SnapshotOffer[];
  readonly creatives: SnapshotCreative[];
  readonly otherOffers?: SnapshotOfferCategory[];
}

/** Offers in a piece, about. */
const offersPerPiece = 64;
/** Rows in one answer of the database: what the driver parses, and we take, between two looks at other work. */
const rowsPerPage = 2000;

/** Reads what changed since `before`; everything when there is nothing before. */
export async function readRows(tx: Tx, wanted: WantedRows, before: CatalogueRows | null): Promise<CatalogueRows> {
  const fingerprints: readonly (readonly BucketPrint[])[] = await Promise.all([
    fingerprintOffers(tx, wanted.statuses),
    fingerprintCreatives(tx),
    wanted.otherOffers ? fingerprintOtherOffers(tx, wanted.statuses) : [],
  ]);
  const count = piecesFor(fingerprints[0]!.reduce((sum, { rows }) => sum + rows, 0));
  const fingerprintOf = joinFingerprints(fingerprints, count);
  const usable = before !== null && sameRows(before.wanted, wanted) ? before : null;
  const reused = (usable?.pieces ?? []).filter(({ number, fingerprint }) => fingerprintOf.get(number) === fingerprint);
  const keptNumbers = new Set(reused.map(({ number }) => number));
  const changed = new Set([...fingerprintOf.keys()].filter((number) => !keptNumbers.has(number)));
  // Most shared values appeared in the full read; a catalogue that is reread starts over.
  const shared = reused.length > 0 && usable !== null ? usable.shared : createSharedValues();
  const lists = await readLists(tx, wanted, changed, count, shared);
  const read = [...changed].map((number): RowPiece => {
    const rows = lists.get(number)!;
    return { number, fingerprint: fingerprintOf.get(number)!, rows, piece: newPiece(rows) };
  });
  const pieces = [...reused, ...read].sort((a, b) => a.number - b.number);
  const creatives = await merge(pieces.map(({ rows }) => rows.creatives));
  const known = before?.contentItems ?? noContentItems;
  return {
    wanted,
    pieces,
    offers: await merge(pieces.map(({ rows }) => rows.offers)),
    creatives,
    contentItems: wanted.contentItems ? await readContentItems(tx, creatives, known) : noContentItems,
    otherOffers: wanted.otherOffers ? await merge(pieces.map(({ rows }) => rows.otherOffers ?? [])) : undefined,
    shared,
  };
}

const sameRows = (a: WantedRows, b: WantedRows): boolean =>
  a.otherOffers === b.otherOffers && a.budgets === b.budgets && a.statuses.join() === b.statuses.join();

/** A power of two, so that a piece is made of whole buckets. */
function piecesFor(offers: number): number {
  let count = 1;
  while (count < buckets && offers / count > offersPerPiece) count *= 2;
  return count;
}

/** By piece, the fingerprints of its buckets. The number of pieces is part of it: other pieces hold other rows. */
function joinFingerprints(fingerprints: readonly (readonly BucketPrint[])[], count: number): Map<number, string> {
  const joined = new Map<number, string>();
  for (const [table, rows] of fingerprints.entries()) {
    for (const { bucket, rows: number, print } of rows) {
      const piece = bucket % count;
      joined.set(piece, `${joined.get(piece) ?? count} ${table}:${bucket}:${number}:${print}`);
    }
  }
  return joined;
}

async function readLists(
  tx: Tx,
  wanted: WantedRows,
  changed: ReadonlySet<number>,
  count: number,
  shared: SharedValues,
): Promise<Map<number, Lists>> {
  const lists = new Map<number, Lists>();
  for (const number of changed) {
    lists.set(number, { offers: [], creatives: [], ...(wanted.otherOffers ? { otherOffers: [] } : {}) });
  }
  if (changed.size === 0) return lists;
  const listsOf = (id: string): Lists => lists.get(bucketOf(id) % count)!;
  const some = Array.from({ length: buckets }, (_, bucket) => bucket).filter((bucket) => changed.has(bucket % count));
  const requestedBuckets = some.length === buckets ? null : some;
  const offerIds = new Map<string, string>();
  await readPages(
    requestedBuckets,
    (page) => snapshotOffers(tx, wanted.statuses, page, shared, wanted.budgets),
    (offer) => {
      offerIds.set(offer.id, offer.id);
      listsOf(offer.id).offers.push(offer);
    },
  );
  const withIds: SharedValues = {
    ...shared,
    text: (value) =>
      value === null ? value : ((offerIds.get(value) as typeof value | undefined) ?? shared.text(value)),
  };
  const creatives = readPages(
    requestedBuckets,
    (page) => snapshotCreatives(tx, page, withIds),
    (creative) => listsOf(creative.offerId).creatives.push(creative),
  );
  const others = wanted.otherOffers
    ? readPages(
        requestedBuckets,
        (page) => snapshotOtherOffers(tx, wanted.statuses, page, shared),
        (offer) => listsOf(offer.id).otherOffers?.push(offer),
      )
    : undefined;
  await Promise.all([creatives, others]);
  return lists;
}

async function readPages<Row extends { readonly id: string }>(
  asked: readonly number[] | null,
  read: (page: BucketPage) => Promise<readonly Row[]>,
  take: (row: Row) => void,
): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const rows: readonly Row[] = await read({ buckets: asked, after, limit: rowsPerPage });
    for (const row of rows) take(row);
    if (rows.length < rowsPerPage) return;
    after = rows.at(-1)!.id;
  }
}

/** Sorted lists in one, by id: two by two, with a turn for others in between. */
async function merge<Row extends { readonly id: string }>(lists: readonly (readonly Row[])[]): Promise<Row[]> {
  const turns = takeTurns();
  let runs: readonly (readonly Row[])[] = lists.filter((list) => list.length > 0);
  while (runs.length > 1) {
    const next: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      next.push(mergeTwo(runs[at]!, runs[at + 1] ?? []));
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    runs = next;
  }
  return [...(runs[0] ?? [])];
}

function mergeTwo<Row extends { readonly id: string }>(a: readonly Row[], b: readonly Row[]): Row[] {
  const merged: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) merged.push(a[i]!.id < b[j]!.id ? a[i++]! : b[j++]!);
  while (i < a.length) merged.push(a[i++]!);
  while (j < b.length) merged.push(b[j++]!);
  return merged;
}
