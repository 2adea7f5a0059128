import type { Tx } from '../../../db/tx.ts';
import { dropTable, selectTables } from './fields/columns.store.ts';

/**
 * Drops the tables of all schemas, based on what the database has, because the schemas themselves are already deleted.
 */
export async function dropAllTables(tx: Tx): Promise<void> {
  for (const name of await selectTables(tx)) await dropTable(tx, name);
}
