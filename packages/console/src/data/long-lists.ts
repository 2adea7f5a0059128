import type { Operation } from '@arbiter/contract/operation';
import { ApiError } from '@arbiter/sdk/caller';
import { waitBefore } from './pace.ts';

/** How lists of thousands of rows are read: few calls, none that nobody asked for, and waits that are told. */

/** Rows of each page after the first, where the operation takes as many. The first is as small as the screen asks: it is there soonest. */
const laterRows = 200;

/** The rows to ask for with a cursor: as many as the operation takes, never fewer than the first page had. */
export function rowsPerPage(operation: Pick<Operation, 'query'>, first: unknown): number | undefined {
  const limit: unknown = Reflect.get(Reflect.get(operation.query ?? {}, 'properties') ?? {}, 'limit');
  if (typeof limit !== 'object' || limit === null) return undefined;
  const most: unknown = Reflect.get(limit, 'maximum');
  const rows = Math.max(laterRows, typeof first === 'number' ? first : 0);
  return typeof most === 'number' ? Math.min(most, rows) : rows;
}

/** Most pages of a list that is read anew by itself. Pages are read one after the other, so that longer ones would never rest. */
const mostPages = 3;

/** Whether what is in memory is a list of so many pages that it is read anew only when somebody asks for it. */
export function isLong(data: unknown): boolean {
  const pages: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'pages') : undefined;
  return Array.isArray(pages) && pages.length > mostPages;
}

/** Calls of a window that a list leaves to the person, who may want something else meanwhile. */
const spareCalls = 2;

/** What `inTurn` needs of the page. */
export interface TurnSurroundings {
  readonly now: () => number;
  /** Throws when the signal says that nobody waits any more. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Asks for a page as soon as the server's limit leaves room for it, and again after a refusal that says when. `tell` is told
 * until when it waits, in milliseconds of the page's clock, and null when it goes on.
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
