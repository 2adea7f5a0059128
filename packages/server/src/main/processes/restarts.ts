/** How long a process must have run for its end to count as an accident, not as a failed start. */
const steadyMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** Give up after this many early ends in a row. */
const maxEarlyEnds = 6;

/** The history of one process slot. */
export interface Lives {
  /** Ends in a row that came soon after a start. */
  readonly earlyEnds: number;
}

export const noLives: Lives = { earlyEnds: 0 };

/**
 * Returns the pause in ms before the next start after a process ended, which doubles with each early end; null to give
 * up. `livedMs` counts from when it opened the port; null if it never did.
 */
export function afterEnd(
  lives: Lives,
  livedMs: number | null,
): { readonly lives: Lives; readonly pauseMs: number | null } {
  if (livedMs !== null && livedMs >= steadyMs) return { lives: noLives, pauseMs: firstPauseMs };
  const earlyEnds = lives.earlyEnds + 1;
  if (earlyEnds >= maxEarlyEnds) return { lives: { earlyEnds }, pauseMs: null };
  return { lives: { earlyEnds }, pauseMs: Math.min(longestPauseMs, firstPauseMs * 2 ** (earlyEnds - 1)) };
}
