/** How long after its start a process must have lived for its end to count as an accident, not as a failed start. */
const steadyMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** So many ends in a row, each soon after the start, are one too many. */
const mostEarlyEnds = 6;

/** What is remembered of one place among the processes. */
export interface Lives {
  /** Ends in a row that came soon after a start. */
  readonly earlyEnds: number;
}

export const noLives: Lives = { earlyEnds: 0 };

/**
 * What to do when a process has ended: the pause before the next is started, in ms, which doubles with each early end; null:
 * give up, since it ends again and again. `livedMs` counts from when it opened the port; null = it never did.
 */
export function afterEnd(
  lives: Lives,
  livedMs: number | null,
): { readonly lives: Lives; readonly pauseMs: number | null } {
  if (livedMs !== null && livedMs >= steadyMs) return { lives: noLives, pauseMs: firstPauseMs };
  const earlyEnds = lives.earlyEnds + 1;
  if (earlyEnds >= mostEarlyEnds) return { lives: { earlyEnds }, pauseMs: null };
  return { lives: { earlyEnds }, pauseMs: Math.min(longestPauseMs, firstPauseMs * 2 ** (earlyEnds - 1)) };
}
