import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './app-error.ts';

/**
 * Milliseconds from a request's arrival to its answer at the latest, whatever it waits for: connection, locks, statements,
 * rollback. Nothing may hang longer than five seconds (docs/design/quality.md R3), and limits that each wait has for itself add up to
 * more; so a request has one deadline, `until` (of `performance.now()`), and every wait on its way ends by then. The
 * remaining second is for timers that fire late on a busy machine and for the response.
 */
export const answerWithinMs = 4_000;

/** Returns a 503 for work that missed its deadline and isn't committed. */
export function overdue(cause?: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: 1, ...(cause === undefined ? {} : { cause }) });
}

/** Returns a 503 for a commit that nobody confirmed in time (docs/design/quality.md, law 1). */
export function unconfirmed(cause?: unknown): AppError {
  return new AppError('unavailable', {
    detail:
      "The commit wasn't confirmed in time, so this may have been stored. " +
      'Repeat the call with the same requestId or Idempotency-Key to find out: it is stored once.',
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** How long `insist` tries. Longer than a call may take, because what it finishes can't be restarted. */
const insistForMs = 15_000;
const insistEveryMs = 250;

/** Does what must be finished once it has begun: tried again while the database has no time for it. It must be repeatable. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + insistForMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'unavailable';
      if (!isAway || performance.now() >= until) throw error;
      await sleep(insistEveryMs);
    }
  }
}

/** Signals that a deadline has passed. Race it with work that may continue afterwards. */
export interface Alarm {
  readonly rung: Promise<'late'>;
  /** Cancels the alarm, so that nothing waits for it. */
  cancel(): void;
}

/** `until`: of `performance.now()`. */
export function alarmAt(until: number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  const rung = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, until - performance.now()), 'late');
  });
  return { rung, cancel: () => clearTimeout(timer) };
}

/**
 * Resolves or rejects like the promise, or rejects with the signal's reason when the signal aborts first. `Promise.race` with
 * a promise that lasts would hold the result of each round until that promise settles.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    const arrive = (): void => {
      signal.removeEventListener('abort', leave);
      resolve(promise);
    };
    promise.then(arrive, arrive);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
