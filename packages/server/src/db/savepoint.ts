import type { Tx } from './tx.ts';

/**
 * Runs `work` inside a savepoint. If it throws, undoes its statements and returns the error; null otherwise. What the
 * work stored outside of the database, such as pending audit rows, stays: the caller undoes that.
 */
export async function tryInSavepoint(tx: Tx, work: () => Promise<void>): Promise<unknown> {
  await tx.query('savepoint attempt');
  try {
    await work();
  } catch (error) {
    await tx.query('rollback to savepoint attempt');
    await tx.query('release savepoint attempt');
    return error;
  }
  await tx.query('release savepoint attempt');
  return null;
}
