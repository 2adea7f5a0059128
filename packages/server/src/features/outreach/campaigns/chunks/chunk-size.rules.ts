import type { ChunkOutcome } from './started-chunk.ts';

/** Customers in a chunk. Begins small, and grows while the chunk holds its customers shorter than it may. */
const sizes = { first: 64, most: 500, least: 8 };
/**
 * A request for a customer of a chunk waits about this long at most, in ms. A chunk holds its customers while the ones before
 * it decide and write, so with less, chunks would be small and cost more per customer.
 */
const heldMs = 120;
/** The same while calls are decided, and chunks don't overlap. */
const heldBesideCallsMs = 25;
/** While calls are decided, a run rests after each chunk for as long as the chunk took, and at most this long. */
const longestRestMs = 200;

export const firstSize = sizes.first;

type Held = Pick<ChunkOutcome, 'heldMs' | 'hadCalls'>;

/** Returns how many customers the chunk after this one takes. */
export function nextSize(size: number, { heldMs: held, hadCalls }: Held): number {
  const goalMs = hadCalls ? heldBesideCallsMs : heldMs;
  const wanted = held === null ? size / 2 : (size * goalMs) / Math.max(1, held);
  return Math.round(Math.min(sizes.most, size * 2, Math.max(sizes.least, wanted)));
}

/** Returns how long to leave the processor to calls after a chunk beside them, in ms. */
export const restMs = ({ heldMs: held }: Held): number => Math.min(longestRestMs, held ?? 0);
