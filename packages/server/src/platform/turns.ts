import { setTimeout as sleep } from 'node:timers/promises';

/** Longest time in ms that long work may hold the event loop. */
const turnMs = 4;

/**
 * Lets long work share the event loop: `await` the returned function between small pieces. It ends the turn after some
 * milliseconds, so that pending requests are handled first.
 */
export function takeTurns(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let since = now();
  return () => {
    if (now() - since < turnMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = now();
        resolve();
      });
    });
  };
}

/** Leaves the processor to others for this many ms. */
export const rest = (ms: number): Promise<void> => sleep(ms);

/** For work that comes back on its own: tells whether the turn that began with this call has lasted long enough. */
export function oneTurn(now: () => number = () => performance.now()): () => boolean {
  const until = now() + turnMs;
  return () => now() >= until;
}

/** Runs work made of small pieces (a generator that yields between them) turn by turn. Returns its result. */
export async function inTurns<T>(work: Generator<void, T>, turns = takeTurns()): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    const pause = turns();
    if (pause !== undefined) await pause;
  }
}

/** `Array.map` turn by turn. */
export async function mapInTurns<From, To>(values: readonly From[], change: (value: From) => To): Promise<To[]> {
  const turns = takeTurns();
  const changed: To[] = [];
  for (const value of values) {
    changed.push(change(value));
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  return changed;
}

/** Runs the work once pending requests are handled: soon, but not before this turn of the event loop has ended. */
export function afterThisTurn(work: () => void): void {
  setImmediate(work);
}
