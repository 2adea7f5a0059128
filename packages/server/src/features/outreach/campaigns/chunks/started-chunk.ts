import { hasCaps, noCounts, type RunCounts } from './caps.rules.ts';
import type { ChunkEnd } from './chunk-work.ts';
import type { ChunkOrder, RunChunks } from './run-chunk.ts';

export interface ChunkOutcome extends Omit<ChunkEnd, 'heldMs'> {
  readonly to: number;
  readonly failed: number;
  /** How long it held its customers; null if it didn't commit as a whole. */
  readonly heldMs: number | null;
}

/** The outcome of a chunk; an error if nothing was committed. */
type StartedEnd = { readonly outcome: ChunkOutcome } | { readonly error: unknown };

export interface StartedChunk {
  readonly from: number;
  readonly to: number;
  /** Resolves when the next chunk may start, to the run's counts by then; null if this chunk failed. */
  readonly next: Promise<RunCounts | null>;
  readonly end: Promise<StartedEnd>;
}

/** Starts a chunk. `before`: the previous chunk, which must commit first; null if none is open. `stored`: the run's counts. */
export function startChunk(
  runChunk: RunChunks,
  { tenantId, run, flow, from, to, decided, itemTexts }: ChunkOrder,
  before: StartedChunk | null,
  stored: RunCounts,
): StartedChunk {
  const gate = Promise.withResolvers<RunCounts | null>();
  const afterBefore = async (): Promise<RunCounts> => {
    const end = await before?.end;
    if (end === undefined) return stored;
    if ('error' in end) throw end.error;
    return end.outcome.counts;
  };
  const { id, token, campaignId, channelIds, frequencyCaps } = run;
  const own = { id, token, campaignId, channelIds, frequencyCaps };
  const order = { tenantId, run: own, flow, from, to, decided, itemTexts };
  const end = runChunk(order, { allowNext: gate.resolve, afterBefore }).then(
    ({ counts, stop, heldMs, hadCalls }): StartedEnd => {
      gate.resolve(hasCaps(run.frequencyCaps) ? counts : noCounts);
      return { outcome: { to, failed: 0, counts, stop, heldMs, hadCalls } };
    },
    (error: unknown): StartedEnd => {
      gate.resolve(null);
      return { error };
    },
  );
  return { from, to, next: gate.promise, end };
}
