import type { CallSignal } from '../../features/deciding/decisions/index.ts';

/** While calls are decided, a thread rests this many times as long as it worked. */
const restShare = 3;
/** Maximum rest, in ms: with longer ones, a thread would hardly get anywhere. */
const longestRestMs = 1_000;

/**
 * Returns a function for a thread to call between pieces of work. While calls are decided, it blocks the thread, so that the
 * work takes at most a quarter of a processor from them. `sleep` blocks for the given milliseconds.
 */
export function createPace(
  calls: Pick<CallSignal, 'isRecent'>,
  sleep: (ms: number) => void,
  now: () => number = () => performance.now(),
): () => void {
  let since = now();
  return () => {
    if (calls.isRecent()) sleep(Math.min(longestRestMs, (now() - since) * restShare));
    since = now();
  };
}
