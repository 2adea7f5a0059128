import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type Definition, membersQuery } from './membership-sql.store.ts';

/**
 * Milliseconds that a request may spend counting. Everything must be answered within four seconds
 * (platform/deadline.ts); what takes longer continues as a job.
 */
const countWithinMs = 2_000;

/** SQLSTATE of a statement that took longer than it may. */
const cancelled = '57014';

function isCancelled(error: unknown): boolean {
  return (
    error instanceof AppError &&
    error.code === 'unavailable' &&
    error.cause instanceof Error &&
    Reflect.get(error.cause, 'code') === cancelled
  );
}

/** Runs a query that may take too long: null when it does. The transaction continues either way. */
export async function inTime<Row>(
  tx: Tx,
  query: () => Promise<Row>,
  withinMs: number = countWithinMs,
): Promise<Row | null> {
  await tx.query('savepoint in_time');
  await tx.query(`select set_config('statement_timeout', $1, true)`, [String(withinMs)]);
  let result: Row | null = null;
  try {
    result = await query();
  } catch (error) {
    if (!isCancelled(error)) throw error;
  }
  // Also restores the setting's old value. The query only read.
  await tx.query('rollback to savepoint in_time');
  await tx.query('release savepoint in_time');
  return result;
}

/** Number of members. */
export async function countMembers(tx: Tx, definition: Definition): Promise<number> {
  const { text, values } = membersQuery(definition);
  const [row] = await tx.query<{ count: number | string }>(`select count(*) as count from (${text}) m`, values);
  return Number(row?.count ?? 0);
}

/** Returns the number of members; null when counting takes longer than a request may. */
export const countInTime = (tx: Tx, definition: Definition, withinMs?: number): Promise<number | null> =>
  inTime(tx, () => countMembers(tx, definition), withinMs);
