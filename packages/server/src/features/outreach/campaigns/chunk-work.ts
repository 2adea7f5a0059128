import type { HotRow, HotTransaction } from '../../../db/index.ts';
import type { ChunkDecision, ChunkWork } from '../../deciding/decisions/index.ts';
import { type CapRules, createCapRules, createTally, type RunCounts, type Tally } from './caps.rules.ts';
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

/** What a run needs of a decision. */
export interface RunDecision extends Pick<ChunkDecision, 'customerId' | 'requestId' | 'decisionId' | 'names'> {
  readonly items: readonly RunItem[];
}

export type RunItem = Pick<
  ChunkDecision['items'][number],
  'rank' | 'offerId' | 'creativeId' | 'channelId' | 'placementId' | 'score' | 'personalization'
>;

export interface RunChunk extends ChunkWork {
  roomFor(items: readonly RunItem[]): number;
  decided(decision: RunDecision): void;
  /** Call after the commit. */
  committed(): void;
  /** Call instead of `committed` when the chunk failed. */
  failed(): void;
  /** After the commit: why the run makes no more offers; null while it continues. */
  stop(): ChunkStop | null;
  /** Milliseconds from the lock of the first customer until now. */
  heldMs(): number;
  /** Whether calls were decided at the same time. */
  hadCalls(): boolean;
}

/** What the chunks of a run in this process count together. */
export interface RunTallies {
  /** Includes chunks that haven't committed: the next one decides behind them. */
  readonly decided: Tally;
  /** What is stored once the latest chunk has committed. */
  readonly stored: Tally;
  readonly rules: CapRules;
}

export function createRunTallies({ totalItems, offerCounts, channelCounts, frequencyCaps }: RunRow): RunTallies {
  const before = { total: totalItems, offers: offerCounts, channels: channelCounts };
  return { decided: createTally(before), stored: createTally(before), rules: createCapRules(frequencyCaps) };
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
  readonly tallies: RunTallies;
  /** Resolves when the chunk before has committed; rejects if it failed. */
  readonly afterBefore: () => Promise<void>;
  /** Called when the chunk has made its decisions: the next one may start. */
  readonly allowNext: () => void;
}

/** What one try of the chunk's transaction knows. */
interface ChunkTry {
  readonly erased: ReadonlySet<string>;
  readonly decided: Map<string, RunDecision>;
  /** When it's written. */
  at: Date | null;
  hadCalls: boolean;
}

/**
 * What the transaction of a chunk does for its run: counts items against its limits, checks under a lock that the run is
 * still this process's and at this place, and writes results, counts and the checkpoint. While it writes, the next chunk
 * decides; that one writes once this one has committed.
 */
export function createRunChunk(places: ChunkPlaces): RunChunk {
  const { run, members, tallies } = places;
  const { rules } = tallies;
  let current: ChunkTry | null = null;
  /** Why customers of the latest try were skipped. */
  let reason: ChunkStop = 'quota_exceeded';
  let openedAt = 0;
  const now = (): ChunkTry => {
    if (current === null) throw new Error('the chunk has no transaction');
    return current;
  };
  const takeBack = (): void => {
    for (const { items } of current?.decided.values() ?? []) tallies.decided.remove(items);
    current = null;
  };
  const usedUpOf = (tally: Tally) => {
    const used = rules.usedUp(tally);
    const isAll =
      used !== null && run.channelIds.length > 0 && run.channelIds.every((id) => used.channelIds.includes(id));
    return isAll ? null : used;
  };
  const usedUp = () => usedUpOf(tallies.decided);
  return {
    async open(tx) {
      takeBack();
      current = { erased: await erasedOf(tx, places), decided: new Map(), at: null, hadCalls: false };
      openedAt = performance.now();
      return current.erased;
    },
    usedUp,
    roomFor: (items) => rules.roomFor(tallies.decided, items),
    decided(decision) {
      tallies.decided.add(decision.items);
      now().decided.set(decision.customerId, decision);
    },
    async beforeWriting(tx, { holdsShared, hasCalls }) {
      now().hadCalls = hasCalls;
      if (!holdsShared && !hasCalls) places.allowNext();
      await places.afterBefore();
      now().at = await lockPlace(tx, places);
    },
    statements() {
      reason = usedUp() === null ? 'run_cap' : 'quota_exceeded';
      const rows = resultsOf(places, now(), reason);
      return [
        ...(rows.length === 0 ? [] : [insertResults(places.tenantId, run.id, rows)]),
        checkpoint(places, rows, now()),
      ];
    },
    committed() {
      for (const { items } of now().decided.values()) tallies.stored.add(items);
    },
    failed: takeBack,
    stop() {
      const { decided, erased } = now();
      if (usedUpOf(tallies.stored) === null) return 'run_cap';
      const isComplete = members.every(({ customerId }) => decided.has(customerId) || erased.has(customerId));
      // Skipped for what the next chunk took: if that one fails, the run has room again.
      return isComplete || reason === 'run_cap' ? null : reason;
    },
    heldMs: () => performance.now() - openedAt,
    hadCalls: () => now().hadCalls,
  };
}

async function erasedOf(
  tx: HotTransaction,
  { tenantId, run, from, to, members }: ChunkPlaces,
): Promise<ReadonlySet<string>> {
  const [left = []] = await tx.send([readMembers(tenantId, run.id, from, to)]);
  const there = new Set(left.map(({ customer_id }: HotRow) => customer_id));
  return new Set(members.flatMap(({ customerId }) => (there.has(customerId) ? [] : [customerId])));
}

/** Locks the run until the commit. Returns the database's time. */
async function lockPlace(tx: HotTransaction, { tenantId, run, from }: ChunkPlaces): Promise<Date> {
  const [[row] = []] = await tx.send([lockRun(tenantId, run.id)]);
  if (row === undefined || row.status !== 'running' || row.token !== run.token || row.next_place !== from) {
    throw new Outrun();
  }
  return row.instant as Date;
}

function resultsOf({ members, keepsPersonalization }: ChunkPlaces, current: ChunkTry, reason: ChunkStop): ResultRow[] {
  const { at, decided, erased } = current;
  if (at === null) throw new Error('the run is not locked');
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

function itemsOf({ items, names }: RunDecision, keepsPersonalization: boolean): ResultItem[] {
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

/** The run is locked, and the chunk before has committed: counts are replaced and not compared. */
function checkpoint({ tenantId, run, from, to, tallies }: ChunkPlaces, rows: readonly ResultRow[], current: ChunkTry) {
  const count = (test: (row: ResultRow) => boolean): number => rows.filter(test).length;
  const decided = count(({ status }) => status === 'decided');
  const empty = count(({ status }) => status === 'empty');
  return writeCheckpoint(tenantId, run.id, {
    ...{ nextPlace: to, decided, empty, skipped: to - from - decided - empty },
    ...{ skippedByCaps: count(({ skipReason }) => skipReason === 'run_cap') },
    ...countsWith(tallies.stored, current),
  });
}

function countsWith(stored: Tally, { decided }: ChunkTry): RunCounts {
  const all = createTally({
    ...{ total: stored.total(), offers: Object.fromEntries(stored.offers) },
    channels: Object.fromEntries(stored.channels),
  });
  for (const { items } of decided.values()) all.add(items);
  return { total: all.total(), offers: Object.fromEntries(all.offers), channels: Object.fromEntries(all.channels) };
}
