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
import { type ChunkResult, insertItems, insertResults, lockRun, readMembers, writeCheckpoint } from './chunk.store.ts';
import type { ItemTexts, RunItem, RunItemTexts } from './item-texts.ts';

/** The run has ended or another process has taken it, so this work no longer counts. */
export class Superseded extends Error {
  constructor() {
    super('the run has ended or another process has taken it');
  }
}

/** Why customers of a chunk were skipped. */
export type ChunkStop = 'run_cap' | 'quota_exceeded';

/** The part of a decision that a run stores. */
export interface RunDecision extends Pick<ChunkDecision, 'customerId' | 'requestId' | 'decisionId' | 'names'> {
  readonly items: readonly RunItem[];
}

/** The run of a chunk, with the token that keeps other processes out. */
export type ChunkRun = Pick<RunRow, 'id' | 'token' | 'campaignId' | 'channelIds' | 'frequencyCaps'>;

/** How a chunk takes turns with its neighbors. */
export interface ChunkTurns {
  /** Lets the next chunk start. `decided`: counts of the run, including this chunk. */
  allowNext(decided: RunCounts): void;
  /** Resolves to the run's counts when the previous chunk has committed; rejects if it failed. */
  afterBefore(): Promise<RunCounts>;
  /** Waits until no other chunk of this process decides. Resolves to a function that ends the turn. */
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

/** The outcome of a committed chunk. */
export interface ChunkEnd {
  /** Counts of the run. */
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
  readonly itemTexts: ItemTexts;
  /** Counts of the run, including chunks that haven't committed; zeros without caps. */
  readonly decided: RunCounts;
  readonly turns: ChunkTurns;
}

/** State of one attempt at the chunk's transaction. */
interface ChunkTry {
  readonly erased: ReadonlySet<string>;
  readonly results: Map<string, ChunkResult>;
  /** What the items of the results refer to, unless it's stored. */
  readonly contents: RunItemTexts;
  /** Counts of the run, including this chunk and those before. */
  readonly decided: Tally;
  /** Counts of this chunk. */
  readonly own: Tally;
  /** Same as `decided`, once the chunks before have committed. */
  stored: RunCounts | null;
  /** Time of writing. */
  at: Date | null;
  hadCalls: boolean;
}

interface ChunkState {
  current: ChunkTry | null;
  /** Whether the next chunk may have started from this one's counts. */
  isNextAllowed: boolean;
  openedAt: number;
  leaveDeciding: (() => void) | null;
}

/**
 * What the transaction of a chunk does for its run: counts items against its limits, checks under a lock that the run still
 * belongs to this process and is at this place, and writes results, counts and the checkpoint (docs/adr/0082). The next chunk
 * starts once this one has locked its customers or, if the run has caps, has decided. It writes once this one has committed.
 */
export function createRunChunk(places: ChunkPlaces): RunChunk {
  const { run, turns } = places;
  const rules = createCapRules(run.frequencyCaps);
  const isCapped = hasCaps(run.frequencyCaps);
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
      // The next chunk relies on these counts, so they can no longer change.
      if (state.isNextAllowed) throw new Error('the transaction of the chunk restarted after the next chunk began');
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
      const { decided, own, results, contents } = now();
      decided.add(items);
      own.add(items);
      const text = items.length === 0 ? null : places.itemTexts.textOf(items, names, contents);
      results.set(customerId, { requestId, decisionId, items: text });
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
    end() {
      places.itemTexts.noteStored(now().contents);
      return {
        counts: storedOf(now()),
        stop: stopOf(places, now(), rules),
        heldMs: performance.now() - state.openedAt,
        hadCalls: now().hadCalls,
      };
    },
  };
}

const newTry = (erased: ReadonlySet<string>, decided: RunCounts): ChunkTry => ({
  ...{ erased, results: new Map(), contents: new Map(), stored: null, at: null, hadCalls: false },
  decided: createTally(decided),
  own: createTally(noCounts),
});

/** Returns null if everything is used up. */
function usedUpOf({ channelIds }: ChunkRun, rules: CapRules, tally: Tally): ReturnType<CapRules['usedUp']> {
  const used = rules.usedUp(tally);
  const isAll = used !== null && channelIds.length > 0 && channelIds.every((id) => used.channelIds.includes(id));
  return isAll ? null : used;
}

function storedOf({ stored }: ChunkTry): RunCounts {
  if (stored === null) throw new Error('the previous chunk has not committed');
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
    throw new Superseded();
  }
  return row.instant as Date;
}

/** Replaces counts without comparing them: the run is locked, and the previous chunk has committed. */
function statementsOf({ tenantId, run, from, to, members }: ChunkPlaces, current: ChunkTry, isUsedUp: boolean) {
  const { at, erased, results, contents } = current;
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
    ...(contents.size === 0 ? [] : [insertItems(tenantId, run.id, contents)]),
    ...(rows.length === 0 ? [] : [insertResults(tenantId, run.id, { rows, skipReason, at })]),
    writeCheckpoint(tenantId, run.id, checkpoint),
  ];
}
