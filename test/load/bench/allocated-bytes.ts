// Measures what a call takes from the JavaScript heap.
import { getHeapStatistics } from 'node:v8';

const samples = 101;

/**
 * Bytes that one call of `work` allocates on the heap: the median over single calls, so that a collection between two
 * readings or a compilation disturbs nothing. Call it when `work` has run often enough to be compiled.
 */
export function allocatedBytes(work: () => unknown): number {
  return Math.max(0, median(work) - median(() => undefined));
}

function median(work: () => unknown): number {
  const taken: number[] = new Array(samples).fill(0);
  for (let at = 0; at < samples; at++) {
    const before = getHeapStatistics().used_heap_size;
    results[0] = work();
    taken[at] = getHeapStatistics().used_heap_size - before;
  }
  return taken.sort((a, b) => a - b)[samples >> 1] ?? 0;
}

/** Holds the last result, so that no call can be optimized away. */
const results: unknown[] = [];
