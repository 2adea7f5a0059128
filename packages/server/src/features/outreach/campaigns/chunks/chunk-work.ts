import type { HotRow, HotTransaction } from '../../../../db/index.ts';
import type { ChunkDecision, ChunkWork } from '../../../deciding/decisions/index.ts';
import type { Member } from '../results.store.ts';
import type { RunRow } from '../runs.store.ts';
import {
  type CapRules,
  createCapRules,
  createTally,
  hasCaps,
  noCounts,
  type RunCounts,
  type Tally,
} from './caps.rules.ts';
import { type ChunkResult, insertResults, lockRun, readMembers, writeCheckpoint } from './chunk.store.ts';
import { createItemTexts, type RunItem } from './item-texts.ts';

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

/** The run of a chunk, as taken: with the token that fences others off. */
export type ChunkRun = Pick<RunRow, 'id' | 'token' | 'campaignId' | 'channelIds' | 'frequencyCaps' | 'fileConfig'>;

/** How a chunk takes turns with its neighbors. */
export interface ChunkTurns {
  /** Lets the next chunk start, behind what the run has given including this chunk. */
  allowNext(decided: RunCounts): void;
  /** Resolves to what the run has given when the chunk before has committed; rejects if it failed. */
  afterBefore(): Promise<RunCounts>;
  /** Resolves when no other chunk of this thread decides, to the function that ends the turn. */
  enterDeciding(): Promise<() => void>;
}

export interface RunChunk extends ChunkWork {
  roomFor(items: readonly RunItem[]): number;
  decided(decision: RunDecision): void;
  /** Ends the turn to decide, however the chunk ended. */
  close(): void;
  /** After the commit. */
  end(): ChunkEnd;
}

/** What came of a chunk that has committed. */
export interface ChunkEnd {
  /** What the run has given. */
  readonly counts: RunCounts;
  /** Why the run makes no more offers; null while it continues. */
  readonly stop: ChunkStop | null;
  /** Milliseconds from the lock of the first customer to the commit. */
  readonly heldMs: number;
  /** Whether calls were decided at the same time. */
  readonly hadCalls: boolean;
}

/** A part of a run: members at places from `from` up to, but not including, `to`. */
export interface ChunkPlaces {
  readonly tenantId: string;
  readonly run: ChunkRun;
  readonly from: number;
  readonly to: number;
  readonly members: readonly Member[];
  /** Whether items keep their personalization, which the run's file shows. */
  readonly keepsPersonalization: boolean;
  /** What the run has given including chunks that haven't committed; nothing if it has no caps. */
  readonly decided: RunCounts;
  readonly turns: ChunkTurns;
}

/** What one try of the chunk's transaction knows. */
interface ChunkTry {
  readonly erased: ReadonlySet<string>;
  readonly results: Map<string, ChunkResult>;
  /** What the run has given, with this chunk and those before. */
  readonly decided: Tally;
  /** What this chunk has given. */
  readonly own: Tally;
  /** The same as `decided`, once those before have committed. */
  stored: RunCounts | null;
  /** When it's written. */
  at: Date | null;
  hadCalls: boolean;
}

interface ChunkState {
  current: ChunkTry | null;
  /** The next chunk may have started, behind what this one has decided. */
  isNextAllowed: boolean;
  openedAt: number;
  leaveDeciding: (() => void) | null;
}

/**
 * What the transaction of a chunk does for its run: counts items against its limits, checks under a lock that the run is
 * still this process's and at this place, and writes results, counts and the checkpoint (docs/adr/0082). The next chunk starts
 * once this one has locked its customers; if the run has caps, once it has decided. That one writes once this one has committed.
 */
export function createRunChunk(places: ChunkPlaces): RunChunk {
  const { run, turns } = places;
  const rules = createCapRules(run.frequencyCaps);
  const isCapped = hasCaps(run.frequencyCaps);
  const itemsText = createItemTexts(places.keepsPersonalization);
  const state: ChunkState = { current: null, isNextAllowed: false, openedAt: 0, leaveDeciding: null };
  const now = (): ChunkTry => {
    if (state.current === null) throw new Error('the chunk has no transaction');
    return state.current;
  };
  const leaveDeciding = (): void => {
    state.leaveDeciding?.();
    state.leaveDeciding = null;
  };
  const allowNext = (): void => {
    if (state.isNextAllowed) return;
    state.isNextAllowed = true;
    turns.allowNext(isCapped ? now().decided.counts() : noCounts);
  };
  return {
    async open(tx) {
      // What the next chunk builds on can't change any more.
      if (state.isNextAllowed) throw new Error('a chunk that others follow has to begin again');
      leaveDeciding();
      state.current = newTry(await erasedOf(tx, places), places.decided);
      state.openedAt = performance.now();
      return state.current.erased;
    },
    async beforeDeciding({ holdsShared, hasCalls }) {
      if (!isCapped && !holdsShared && !hasCalls) allowNext();
      state.leaveDeciding = await turns.enterDeciding();
    },
    usedUp: () => usedUpOf(run, rules, now().decided),
    roomFor: (items) => rules.roomFor(now().decided, items),
    decided({ customerId, requestId, decisionId, items, names }) {
      const { decided, own, results } = now();
      decided.add(items);
      own.add(items);
      results.set(customerId, { requestId, decisionId, items: items.length === 0 ? null : itemsText(items, names) });
    },
    async beforeWriting(tx, { holdsShared, hasCalls }) {
      leaveDeciding();
      now().hadCalls = hasCalls;
      if (!holdsShared && !hasCalls) allowNext();
      const stored = await turns.afterBefore();
      const sum = createTally(stored);
      sum.addCounts(now().own.counts());
      now().stored = sum.counts();
      now().at = await lockPlace(tx, places);
    },
    statements: () => statementsOf(places, now(), usedUpOf(run, rules, now().decided) === null),
    close: leaveDeciding,
    end: () => ({
      counts: storedOf(now()),
      stop: stopOf(places, now(), rules),
      heldMs: performance.now() - state.openedAt,
      hadCalls: now().hadCalls,
    }),
  };
}

const newTry = (erased: ReadonlySet<string>, decided: RunCounts): ChunkTry => ({
  ...{ erased, results: new Map(), stored: null, at: null, hadCalls: false },
  decided: createTally(decided),
  own: createTally(noCounts),
});

/** Null: everything. */
function usedUpOf({ channelIds }: ChunkRun, rules: CapRules, tally: Tally): ReturnType<CapRules['usedUp']> {
  const used = rules.usedUp(tally);
  const isAll = used !== null && channelIds.length > 0 && channelIds.every((id) => used.channelIds.includes(id));
  return isAll ? null : used;
}

function storedOf({ stored }: ChunkTry): RunCounts {
  if (stored === null) throw new Error('the chunk before has not committed');
  return stored;
}

function stopOf({ run, members }: ChunkPlaces, current: ChunkTry, rules: CapRules): ChunkStop | null {
  const { erased, results } = current;
  if (usedUpOf(run, rules, createTally(storedOf(current))) === null) return 'run_cap';
  const isComplete = members.every(({ customerId }) => results.has(customerId) || erased.has(customerId));
  return isComplete ? null : 'quota_exceeded';
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

/** The run is locked, and the chunk before has committed: counts are replaced and not compared. */
function statementsOf({ tenantId, run, from, to, members }: ChunkPlaces, current: ChunkTry, isUsedUp: boolean) {
  const { at, erased, results } = current;
  if (at === null) throw new Error('the run is not locked');
  const left = members.filter(({ customerId }) => !erased.has(customerId));
  const skipReason = isUsedUp ? 'run_cap' : 'quota_exceeded';
  const rows = left.map((member) => ({ ...member, result: results.get(member.customerId) ?? null }));
  let [decided, empty] = [0, 0];
  for (const { items } of results.values()) {
    if (items === null) empty += 1;
    else decided += 1;
  }
  const checkpoint = {
    ...{ nextPlace: to, decided, empty, skipped: to - from - decided - empty },
    skippedByCaps: isUsedUp ? left.length - results.size : 0,
    ...storedOf(current),
  };
  return [
    ...(rows.length === 0 ? [] : [insertResults(tenantId, run.id, { rows, skipReason, at })]),
    writeCheckpoint(tenantId, run.id, checkpoint),
  ];
}
