import type { Tx } from '../../../db/tx.ts';

const lock = `hashtextextended('arbiter.erased_rows:' || $1, 0)`;

/** Waits for the erasures in progress. Others wait until this transaction ends. */
export async function keepErasuresWaiting(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(${lock})`, [tx.tenantId]);
}

/** The same without waiting, for a transaction that has written rows. Returns whether there was no erasure in progress. */
export async function tryKeepErasuresWaiting(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock_shared(${lock}) as taken`, [
    tx.tenantId,
  ]);
  return row?.taken === true;
}

/** Locks an erasure's deletion of rows against loads that end in the meantime. */
export async function lockErasedRows(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lock})`, [tx.tenantId]);
}
