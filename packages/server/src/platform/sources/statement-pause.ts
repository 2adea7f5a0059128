import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 2_000;

/** Waits before a warehouse is asked again whether a statement has ended. `times`: how often it was asked before. */
export const pauseForStatement = (times: number, signal: AbortSignal): Promise<null> =>
  sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(times, 10)), null, { signal });
