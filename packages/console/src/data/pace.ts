import type { Operation } from '@arbiter/contract/operation';

/** Pacing by the RateLimit headers: calls that come in numbers wait before the server has to refuse them. */

interface Window {
  readonly remaining: number;
  /** When the window is free again, in milliseconds of the page's clock. */
  readonly freeAt: number;
}

type Paced = Pick<Operation, 'id' | 'rateLimits'>;

const windows = new Map<string, Window>();

/** Operations of one bucket share a window. */
const nameOf = ({ id, rateLimits }: Paced): string => rateLimits?.find(({ bucket }) => bucket)?.bucket ?? id;

/** Remembers what an answer says of its window. `now`: milliseconds. */
export function notePace(operation: Paced, headers: Headers, now: number = Date.now()): void {
  const remaining = headers.get('ratelimit-remaining');
  const reset = headers.get('ratelimit-reset');
  if (remaining === null || reset === null) return;
  windows.set(nameOf(operation), { remaining: Number(remaining), freeAt: now + Number(reset) * 1_000 });
}

/** Calls that are left in the window; null when no limit is known of. */
export function callsLeft(operation: Paced, now: number = Date.now()): number | null {
  const window = windows.get(nameOf(operation));
  return window === undefined || window.freeAt <= now ? null : window.remaining;
}

/**
 * How long a call of many should wait, in milliseconds. `spare` calls are left to the person, who may want to do something
 * else meanwhile.
 */
export function waitBefore(operation: Paced, spare = 5, now: number = Date.now()): number {
  const left = callsLeft(operation, now);
  if (left === null || left > spare) return 0;
  return Math.max(0, (windows.get(nameOf(operation))?.freeAt ?? now) - now);
}
