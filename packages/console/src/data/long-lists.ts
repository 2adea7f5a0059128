import type { Operation } from '@arbiter/contract/core/operation';
import { ApiError } from '@arbiter/sdk/caller';
import { waitBefore } from './pace.ts';

/** Loads lists with thousands of rows: few calls, only on demand, and with visible waits. */

/**
 * Page size after the first page, where the operation allows it. The first page is only as large as the screen, so it arrives
 * sooner.
 */
const laterRows = 200;

/** Returns the page size to request with a cursor: as large as the operation allows, and never smaller than the first page. */
export function rowsPerPage(operation: Pick<Operation, 'query'>, first: unknown): number | undefined {
  const limit: unknown = Reflect.get(Reflect.get(operation.query ?? {}, 'properties') ?? {}, 'limit');
  if (typeof limit !== 'object' || limit === null) return undefined;
  const most: unknown = Reflect.get(limit, 'maximum');
  const rows = Math.max(laterRows, typeof first === 'number' ? first : 0);
  return typeof most === 'number' ? Math.min(most, rows) : rows;
}

/** Maximum number of pages that refresh automatically. Pages load one after the other, so longer lists would never finish. */
const maxPages = 3;

/** Whether a list has too many pages to refresh automatically. */
export function isLong(data: unknown): boolean {
  const pages: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'pages') : undefined;
  return Array.isArray(pages) && pages.length > maxPages;
}

/** Calls per rate limit window that a list leaves to the user. */
const spareCalls = 2;

/** Environment of `inTurn`. */
export interface TurnSurroundings {
  readonly now: () => number;
  /** Throws when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Requests a page as soon as the rate limit allows, and again after a rate limit error. Calls `tell` with the time until which
 * it waits, in milliseconds of the page's clock, and with null when it continues.
 */
export async function inTurn<Body>(
  operation: Pick<Operation, 'id' | 'rateLimits'>,
  signal: AbortSignal,
  ask: () => Promise<Body>,
  tell: (until: number | null) => void,
  { now, sleep }: TurnSurroundings = page,
): Promise<Body> {
  const wait = async (ms: number) => {
    if (ms <= 0) return;
    tell(now() + ms);
    try {
      await sleep(ms, signal);
    } finally {
      tell(null);
    }
  };
  await wait(waitBefore(operation, spareCalls, now()));
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const seconds =
        error instanceof ApiError && error.problem?.code === 'rate_limited' ? error.retryAfterSeconds : null;
      if (seconds === null) throw error;
      await wait(Math.max(1, seconds) * 1_000);
    }
  }
}

const page: TurnSurroundings = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((done, stop) => {
      const end = () => {
        clearTimeout(timer);
        stop(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', end);
        done();
      }, ms);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    }),
};
