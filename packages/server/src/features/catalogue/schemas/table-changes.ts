import { DatabaseError } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { alarmAt, overdue } from '../../../platform/deadline.ts';
import { limitLockWait } from './fields/columns.store.ts';

/** Runs work in its own transaction, whose statements may take `statementTimeoutMs`. */
export type Run = <T>(work: (tx: Tx) => Promise<T>, options: { readonly statementTimeoutMs: number }) => Promise<T>;

/** Pause between two attempts of a step, so that those who waited behind it go first. */
const pauseMs = 300;
/** For locks that no decision waits for. Functions of columns.store.ts that take another one wait less. */
const longestWaitMs = 5_000;

/** A change of a table in steps that share one deadline. */
export interface TableChange {
  /** Retries a transaction while someone else holds a lock that it needs. Throws 503 when the time is up. */
  step<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same with so much time from now on: to tidy up. */
  within(ms: number): TableChange;
}

/** `ms`: how long the steps may take together. */
export function changeOfTable(run: Run, ms: number): TableChange {
  const until = performance.now() + ms;
  return {
    within: (more) => changeOfTable(run, more),
    async step(work) {
      for (;;) {
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw overdue();
        try {
          return await run(
            async (tx) => {
              await limitLockWait(tx, Math.min(longestWaitMs, leftMs));
              return work(tx);
            },
            { statementTimeoutMs: leftMs },
          );
        } catch (error) {
          if (!isBusy(error)) throw error;
          const nextTry = performance.now() + pauseMs;
          if (nextTry >= until) throw overdue(error);
          await alarmAt(nextTry).rung;
        }
      }
    },
  };
}

/**
 * Runs steps of a change inside an existing transaction. Throws 409 `concurrent_modification`, as a lost race, for a
 * table in use: the transaction's owner retries or gives up.
 */
export function changeInside(tx: Tx): TableChange {
  const change: TableChange = {
    within: () => change,
    async step(work) {
      try {
        return await work(tx);
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.kind !== 'lock_not_available') throw error;
        throw new AppError('concurrent_modification', {
          detail: 'A table that this change needs is in use. Try again in a moment.',
          cause: error,
        });
      }
    },
  };
  return change;
}

/** Someone else has the lock, or the database broke the transaction off for the sake of another one. */
function isBusy(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.kind === 'lock_not_available';
  return error instanceof AppError && error.code === 'concurrent_modification' && error.cause !== undefined;
}
