import type { ChunkOutcome } from './started-chunk.ts';

/** Customers in a chunk. Starts small and grows while chunks take less time than they may. */
const sizes = { first: 64, most: 500, least: 8 };
/**
 * How long a chunk aims to hold its customers, in ms. Their requests wait that long. It includes the time in which earlier
 * chunks decide and write, so a lower value would make chunks small and customers more expensive.
 */
const maxHeldMs = 120;
/** The same while calls are decided, and chunks don't overlap. */
const maxHeldBesideCallsMs = 25;
/** While calls are decided, a run rests after each chunk for as long as the chunk took, and at most this long. */
const longestRestMs = 200;

export const firstSize = sizes.first;

type ChunkTiming = Pick<ChunkOutcome, 'heldMs' | 'hadCalls'>;

/** Returns how many customers the chunk after this one takes. */
export function nextSize(size: number, { heldMs, hadCalls }: ChunkTiming): number {
  const goalMs = hadCalls ? maxHeldBesideCallsMs : maxHeldMs;
  const wanted = heldMs === null ? size / 2 : (size * goalMs) / Math.max(1, heldMs);
  return Math.round(Math.min(sizes.most, size * 2, Math.max(sizes.least, wanted)));
}

/** Returns how long to leave the processor to calls after a chunk, in ms. */
export const restMs = ({ heldMs }: ChunkTiming): number => Math.min(longestRestMs, heldMs ?? 0);
