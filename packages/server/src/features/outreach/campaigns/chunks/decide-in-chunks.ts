import { type Database, systemActor } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { rest } from '../../../../platform/turns.ts';
import type { RunnableFlow } from '../../../catalogue/flows/index.ts';
import { insertFailure } from '../failed-customer.store.ts';
import { selectMembers } from '../results.store.ts';
import { showsPersonalization } from '../run-file.rules.ts';
import type { RunRow } from '../runs.store.ts';
import { hasCaps, noCounts, type RunCounts } from './caps.rules.ts';
import { firstSize, nextSize, restMs } from './chunk-size.rules.ts';
import { type ChunkStop, Superseded } from './chunk-work.ts';
import { createItemTexts, type ItemTexts } from './item-texts.ts';
import type { RunChunks } from './run-chunk.ts';
import { type ChunkOutcome, type StartedChunk, startChunk } from './started-chunk.ts';

export interface ChunkedRun {
  readonly tenantId: string;
  readonly run: RunRow;
  readonly flow: RunnableFlow;
  readonly database: Database;
  readonly runChunk: RunChunks;
  /** Chunks that may be open at a time. */
  readonly maxOpen: number;
  /** Whether to start no more chunks from this place on. */
  isOver(place: number): boolean;
  /** Runs after each chunk, with the place behind it. */
  afterChunk(place: number): Promise<void>;
}

/** At most half of the first customers may fail. */
const judged = 1_000;

const campaignActor = systemActor('campaign');

interface StartedRun extends ChunkedRun {
  readonly itemTexts: ItemTexts;
}

/** Where a run is. */
interface Progress {
  /** Of the first member that isn't decided. */
  place: number;
  failed: number;
  /** Customers in the next chunk. */
  size: number;
  /** Counts of the chunks up to there. */
  counts: RunCounts;
  stop: ChunkStop | 'too_many_failures' | null;
}

/**
 * Decides for the members from the checkpoint on, in several chunks at a time that commit in order (docs/adr/0082). Returns why
 * and where it stopped; null if no members are left or the run is over.
 */
export async function decideInChunks(chunkedRun: ChunkedRun): Promise<Pick<Progress, 'place' | 'stop'>> {
  const { run } = chunkedRun;
  const work = { ...chunkedRun, itemTexts: createItemTexts(showsPersonalization(run)) };
  const progress: Progress = {
    ...{ place: run.nextPlace, failed: run.failedCustomers, size: firstSize, stop: null },
    counts: { total: run.totalItems, offers: run.offerCounts, channels: run.channelCounts },
  };
  /** In order. */
  const open: StartedChunk[] = [];
  const start = (from: number, decided: RunCounts): void => {
    const to = Math.min(from + progress.size, run.totalCustomers);
    open.push(startChunk(work.runChunk, { ...work, from, to, decided }, open.at(-1) ?? null, progress.counts));
  };
  const mayStart = (from: number): boolean =>
    progress.stop === null && from < run.totalCustomers && !work.isOver(progress.place);
  try {
    for (;;) {
      const last = open.at(-1);
      if (last === undefined) {
        if (!mayStart(progress.place)) return progress;
        start(progress.place, hasCaps(run.frequencyCaps) ? progress.counts : noCounts);
        continue;
      }
      const isFull = open.length >= work.maxOpen || !mayStart(last.to);
      const decided = isFull ? null : await Promise.race([last.next, open[0]!.end.then(() => null)]);
      if (decided === null) await endFirst(work, open, progress);
      // The run may be over by now.
      else if (mayStart(last.to)) start(last.to, decided);
    }
  } finally {
    // This process must stop working on the run before another one takes it.
    for (const chunk of open) await chunk.end;
  }
}

/** Waits for the first open chunk. If it fails, those behind it fail too. */
async function endFirst(work: StartedRun, open: StartedChunk[], progress: Progress): Promise<void> {
  const chunk = open.shift()!;
  const end = await chunk.end;
  if ('error' in end) {
    for (const behind of open.splice(0)) await behind.end;
  }
  const outcome =
    'error' in end ? await decideFewer(work, chunk.from, chunk.to, progress.counts, end.error) : end.outcome;
  progress.place = outcome.to;
  progress.counts = outcome.counts;
  progress.failed += outcome.failed;
  progress.stop ??= outcome.stop;
  progress.size = nextSize(progress.size, outcome);
  await work.afterChunk(outcome.to);
  const { totalCustomers } = work.run;
  if (progress.place <= judged && progress.failed * 2 > Math.min(judged, totalCustomers)) {
    progress.stop ??= 'too_many_failures';
  }
  if (open.length === 0 && outcome.hadCalls) await rest(restMs(outcome));
}

/** Retries half of a failed chunk, down to a single customer, who then counts as failed. */
async function decideFewer(
  work: StartedRun,
  from: number,
  to: number,
  counts: RunCounts,
  error: unknown,
): Promise<ChunkOutcome> {
  if (error instanceof Superseded) throw error;
  if (to - from > 1) {
    const middle = from + Math.ceil((to - from) / 2);
    const half = await startChunk(work.runChunk, { ...work, from, to: middle, decided: counts }, null, counts).end;
    if ('error' in half) return decideFewer(work, from, middle, counts, half.error);
    return { ...half.outcome, heldMs: null };
  }
  // The database is away or the server is overloaded, which isn't the customer's fault. The job is retried.
  if (isPassing(error)) throw error;
  await noteFailure(work, from, to, error);
  return { to, failed: 1, stop: null, heldMs: null, hadCalls: false, counts };
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'overloaded', 'not_fresh']);
const isPassing = (error: unknown): boolean => error instanceof AppError && passing.has(error.code);

async function noteFailure(
  { database, tenantId, run }: ChunkedRun,
  from: number,
  to: number,
  error: unknown,
): Promise<void> {
  const code = error instanceof AppError ? error.code : 'internal';
  const isNoted = await database.withTenant(tenantId, campaignActor, async (tx) => {
    const [member] = await selectMembers(tx, run.id, from, to);
    if (member === undefined) throw error;
    return insertFailure(tx, run, member, code);
  });
  if (!isNoted) throw new Superseded();
}
