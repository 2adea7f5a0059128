import type { HotRow, HotTransaction } from '../../../db/index.ts';
import type { ChunkDecision, ChunkWork } from '../../deciding/decisions/index.ts';
import { type CapCounter, createCapCounter, type ItemCounts } from './caps.rules.ts';
import { lockRun, readMembers, writeCheckpoint } from './chunk.store.ts';
import { insertResults, type Member, type ResultItem, type ResultRow } from './results.store.ts';
import type { RunRow } from './runs.store.ts';

/** The run has ended or another process has taken it, so this work is obsolete. */
export class Outrun extends Error {
  constructor() {
    super('the run has ended or another process has taken it');
  }
}

/** Why customers of a chunk were skipped. */
export type ChunkStop = 'run_cap' | 'quota_exceeded';

export interface RunChunk extends ChunkWork {
  /** After the commit: why the run makes no more offers; null while it continues. */
  stop(): ChunkStop | null;
  /** Milliseconds from the lock of the first customer until now. */
  heldMs(): number;
}

/** A part of a run: members at places from `from` up to, but not including, `to`. */
export interface ChunkPlaces {
  readonly tenantId: string;
  /** As taken: with the token that fences others off. */
  readonly run: RunRow;
  readonly from: number;
  readonly to: number;
  readonly members: readonly Member[];
  /** Whether items keep their personalization, which the run's file shows. */
  readonly keepsPersonalization: boolean;
}

/** What one try of the chunk's transaction knows. */
interface ChunkTry {
  readonly counter: CapCounter;
  readonly at: Date;
  readonly erased: ReadonlySet<string>;
  readonly decided: Map<string, ChunkDecision>;
}

/**
 * What the transaction of a chunk does for its run: checks under a lock that the run is still this process's and at this
 * place, counts items against its limits, and writes results, counts and the checkpoint.
 */
export function createRunChunk(places: ChunkPlaces): RunChunk {
  const { run } = places;
  let current: ChunkTry | null = null;
  let openedAt = 0;
  const now = (): ChunkTry => {
    if (current === null) throw new Error('the chunk has no transaction');
    return current;
  };
  const usedUp = () => {
    const used = now().counter.usedUp();
    const isAll =
      used !== null && run.channelIds.length > 0 && run.channelIds.every((id) => used.channelIds.includes(id));
    return isAll ? null : used;
  };
  return {
    async open(tx) {
      current = await openChunk(tx, places);
      openedAt = performance.now();
      return current.erased;
    },
    usedUp,
    roomFor: (items) => now().counter.roomFor(items),
    decided(decision) {
      now().counter.add(decision.items);
      now().decided.set(decision.customerId, decision);
    },
    statements() {
      const rows = resultsOf(places, now(), usedUp() === null ? 'run_cap' : 'quota_exceeded');
      return [
        ...(rows.length === 0 ? [] : [insertResults(places.tenantId, run.id, rows)]),
        checkpoint(places, rows, now().counter),
      ];
    },
    stop() {
      const { decided, erased } = now();
      if (usedUp() === null) return 'run_cap';
      return places.members.some(({ customerId }) => !decided.has(customerId) && !erased.has(customerId))
        ? 'quota_exceeded'
        : null;
    },
    heldMs: () => performance.now() - openedAt,
  };
}

async function openChunk(tx: HotTransaction, { tenantId, run, from, to, members }: ChunkPlaces): Promise<ChunkTry> {
  const [[row] = [], left = []] = await tx.send([lockRun(tenantId, run.id), readMembers(tenantId, run.id, from, to)]);
  if (row === undefined || row.status !== 'running' || row.token !== run.token || row.next_place !== from) {
    throw new Outrun();
  }
  const there = new Set(left.map(({ customer_id }: HotRow) => customer_id));
  return {
    counter: createCapCounter(run.frequencyCaps, {
      total: Number(row.total_items),
      offers: row.offer_counts as ItemCounts,
      channels: row.channel_counts as ItemCounts,
    }),
    at: row.instant as Date,
    erased: new Set(members.flatMap(({ customerId }) => (there.has(customerId) ? [] : [customerId]))),
    decided: new Map(),
  };
}

function resultsOf({ members, keepsPersonalization }: ChunkPlaces, current: ChunkTry, reason: ChunkStop): ResultRow[] {
  const { at, decided, erased } = current;
  return members.flatMap(({ place, customerId }): ResultRow[] => {
    if (erased.has(customerId)) return [];
    const common = { place, customerId, error: null, processedAt: at };
    const made = decided.get(customerId);
    if (made === undefined) {
      return [{ ...common, status: 'skipped', skipReason: reason, requestId: null, decisionId: null, items: null }];
    }
    const { requestId, decisionId } = made;
    const status = made.items.length === 0 ? 'empty' : 'decided';
    const items = made.items.length === 0 ? null : itemsOf(made, keepsPersonalization);
    return [{ ...common, status, skipReason: null, requestId, decisionId, items }];
  });
}

function itemsOf({ items, names }: ChunkDecision, keepsPersonalization: boolean): ResultItem[] {
  return items.map(({ rank, offerId, creativeId, channelId, placementId, score, personalization }) => {
    const offer = names.offer(offerId);
    const nameOf = <T>(id: string | null | undefined, find: (id: string) => T) => (id == null ? undefined : find(id));
    return {
      ...{ rank, offerId, creativeId, channelId, placementId, score },
      offerName: offer?.name ?? '',
      creativeName: nameOf(creativeId, names.creative)?.name ?? null,
      channelName: nameOf(channelId, names.channel)?.name ?? null,
      category: nameOf(offer?.categoryId, names.category)?.name ?? null,
      subCategory: nameOf(offer?.subCategoryId, names.subCategory)?.name ?? null,
      ...(keepsPersonalization ? { personalization } : {}),
    };
  });
}

/** The row is locked and at `from`, so counts are replaced and not compared. */
function checkpoint({ tenantId, run, from, to }: ChunkPlaces, rows: readonly ResultRow[], counter: CapCounter) {
  const count = (test: (row: ResultRow) => boolean): number => rows.filter(test).length;
  const decided = count(({ status }) => status === 'decided');
  const empty = count(({ status }) => status === 'empty');
  const { total, offers, channels } = counter.counts();
  return writeCheckpoint(tenantId, run.id, {
    ...{ nextPlace: to, decided, empty, skipped: to - from - decided - empty },
    ...{ skippedByCaps: count(({ skipReason }) => skipReason === 'run_cap'), total, offers, channels },
  });
}
