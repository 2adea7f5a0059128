import type { Operation } from '@arbiter/contract/core/operation';

/** Pacing by RateLimit headers: bulk calls wait before the server rejects them. */

interface RateWindow {
  readonly remaining: number;
  /** When the window resets, in milliseconds of the page's clock. */
  readonly freeAt: number;
}

type Paced = Pick<Operation, 'id' | 'rateLimits'>;

const windows = new Map<string, RateWindow>();

/** Operations in the same bucket share a window. */
const nameOf = ({ id, rateLimits }: Paced): string => rateLimits?.find(({ bucket }) => bucket)?.bucket ?? id;

/** Stores the rate limit of a response. `now` is in milliseconds. */
export function notePace(operation: Paced, headers: Headers, now: number = Date.now()): void {
  const remaining = headers.get('ratelimit-remaining');
  const reset = headers.get('ratelimit-reset');
  if (remaining === null || reset === null) return;
  windows.set(nameOf(operation), { remaining: Number(remaining), freeAt: now + Number(reset) * 1_000 });
}

/** Returns the calls left in the window; null if no limit is known. */
export function callsLeft(operation: Paced, now: number = Date.now()): number | null {
  const window = windows.get(nameOf(operation));
  return window === undefined || window.freeAt <= now ? null : window.remaining;
}

/** Returns how long a bulk call should wait, in milliseconds. Leaves `spare` calls to the user. */
export function waitBefore(operation: Paced, spare = 5, now: number = Date.now()): number {
  const left = callsLeft(operation, now);
  if (left === null || left > spare) return 0;
  return Math.max(0, (windows.get(nameOf(operation))?.freeAt ?? now) - now);
}
