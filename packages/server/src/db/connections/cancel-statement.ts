import type { Tx } from '../tx.ts';

/** Finds a transaction from another one. A process ID alone could mean a later transaction, because poolers share sessions. */
export interface TransactionName {
  readonly processId: number;
  /** In microseconds. */
  readonly startedAt: string;
}

const startOf = (instant: string): string => `(extract(epoch from ${instant}) * 1e6)::bigint::text`;

export async function nameTransaction(tx: Tx): Promise<TransactionName> {
  const [row] = await tx.query<TransactionName>(
    `select pg_backend_pid() as "processId", ${startOf('now()')} as "startedAt"`,
  );
  if (row === undefined) throw new Error('the database returned no name of the transaction');
  return row;
}

/** Cancels the statement that another transaction is running, which fails as if it had timed out. Between two statements, does nothing. */
export async function cancelStatement(tx: Tx, { processId, startedAt }: TransactionName): Promise<void> {
  await tx.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and ${startOf('xact_start')} = $2`,
    [processId, startedAt],
  );
}
