import type { Tx } from '../../../db/tx.ts';
import { dropTable } from './fields/columns.store.ts';

/**
 * Drops the tables of all schemas, based on what the database has, because the schemas themselves are already deleted.
 */
export async function dropAllTables(tx: Tx): Promise<void> {
  const rows = await tx.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 't_' || replace($1, '-', '') and c.relkind = 'r' and starts_with(c.relname, 'ds_')`,
    [tx.tenantId],
  );
  for (const { name } of rows) await dropTable(tx, name);
}
