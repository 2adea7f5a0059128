import type { Tx } from './tx.ts';

/**
 * Creates the table's partitions for this month and the next three through an owner's function. `table` is qualified.
 * Needs a system transaction.
 */
export async function ensureMonthPartitions(tx: Tx, table: string): Promise<void> {
  await tx.query(
    `select arbiter.ensure_month_partitions($1::regclass, date_trunc('month', $2::timestamptz)::date, 4)`,
    [table, tx.now],
  );
}

/** Creates the table's partition for a month (`2026-05`), as `ensureMonthPartitions`. */
export async function ensureMonthPartition(tx: Tx, table: string, month: string): Promise<void> {
  await tx.query(`select arbiter.ensure_month_partitions($1::regclass, $2::date, 1)`, [table, `${month}-01`]);
}

/**
 * Drops the table's empty partitions of past months through an owner's function. `table` is qualified. Needs a system
 * transaction. Returns the number of dropped partitions.
 */
export async function dropEmptyMonths(tx: Tx, table: string): Promise<number> {
  const [row] = await tx.query<{ dropped: number }>(
    'select arbiter.drop_empty_partitions($1::regclass, $2::timestamptz::date) as dropped',
    [table, tx.now],
  );
  return row?.dropped ?? 0;
}
