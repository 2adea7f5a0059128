import { AppError } from '../platform/app-error.ts';
import type { Tx } from './tx.ts';

/** SQLSTATE of a statement that took longer than it may. */
const cancelled = '57014';

/** True for the error of a statement that took longer than it may. */
export function isTimedOut(error: unknown): boolean {
  return (
    error instanceof AppError &&
    error.code === 'unavailable' &&
    error.cause instanceof Error &&
    Reflect.get(error.cause, 'code') === cancelled
  );
}

/** Runs a query that may take too long: null when it does. The transaction continues either way. The query may only read. */
export async function inTime<Row>(tx: Tx, query: () => Promise<Row>, withinMs: number): Promise<Row | null> {
  await tx.query('savepoint in_time');
  await tx.query(`select set_config('statement_timeout', $1, true)`, [String(withinMs)]);
  let result: Row | null = null;
  try {
    result = await query();
  } catch (error) {
    if (!isTimedOut(error)) throw error;
  }
  // Also restores the setting's old value.
  await tx.query('rollback to savepoint in_time');
  await tx.query('release savepoint in_time');
  return result;
}
