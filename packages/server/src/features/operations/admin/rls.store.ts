import { DatabaseError } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';

/** Row-level security of one table, partition or data table of the tenant. */
export interface TableSecurity {
  readonly schema: string;
  readonly table: string;
  readonly isPartition: boolean;
  readonly rlsEnabled: boolean;
  readonly rlsForced: boolean;
  readonly policies: string[];
}

/** Returns every table with tenant data that concerns the caller's tenant; not the data tables of other tenants. */
export async function selectTableSecurity(tx: Tx): Promise<TableSecurity[]> {
  return tx.query<TableSecurity>(
    `select table_schema as schema, table_name as table, is_partition as "isPartition", rls_enabled as "rlsEnabled",
       rls_forced as "rlsForced", policies
     from arbiter.rls_report()`,
  );
}

/**
 * Repairs one table as its owner. Returns null, or why it failed: then the table is unchanged and the transaction
 * continues.
 */
export async function repairTable(tx: Tx, table: TableSecurity): Promise<string | null> {
  await tx.query('savepoint repair_table');
  try {
    await tx.define({ text: 'select arbiter.repair_rls($1, $2)', values: [table.schema, table.table] });
    await tx.query('release savepoint repair_table');
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await tx.query('rollback to savepoint repair_table');
    return error.kind === 'lock_not_available' ? 'the table is in use' : 'the database rejected the change';
  }
}

/** A repair waits for a table that is in use this long at most, so that one busy table does not hold up the others. */
export async function limitLockWait(tx: Tx): Promise<void> {
  await tx.query(`select set_config('lock_timeout', '1s', true)`);
}
