import { type Database, systemActor, type Tx } from '../../../../db/index.ts';
import { selectFieldsOfTable } from '../schemas.store.ts';
import { columnDrop, lockDefinitions, selectColumns, selectTables, tableDrop } from './columns.store.ts';

/**
 * Drops the tenant's tables that no schema uses, and columns that no field uses. Safe to repeat. Throws while someone reads one of
 * them for long.
 */
export async function dropLeftovers(database: Database, tenantId: string): Promise<void> {
  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.withTenant(tenantId, systemActor('schemas'), work);
  for (const name of await within(selectTables)) await within((tx) => dropLeftoversOf(tx, name));
}

async function dropLeftoversOf(tx: Tx, tableName: string): Promise<void> {
  await lockDefinitions(tx, tableName);
  const fields = await selectFieldsOfTable(tx, tableName);
  if (fields === null) {
    await tx.define(tableDrop(tableName));
    return;
  }
  const used = new Set(fields.map(({ name }) => name));
  for (const name of await selectColumns(tx, tableName)) {
    if (!used.has(name)) await tx.define(columnDrop(tableName, name));
  }
}
