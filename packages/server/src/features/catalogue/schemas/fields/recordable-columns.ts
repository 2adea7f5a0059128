import { joinedSources } from '@arbiter/engine';
import type { Tx } from '../../../../db/tx.ts';
import { readJoins } from '../joins/joins-in-decisions.store.ts';
import { readSchemaTables, toSnapshotSchema } from '../schema-tables.store.ts';

/**
 * Names under `customer.` that every decision can read: of schemas that enrich automatically, of linked schemas and joins;
 * never those of columns that are never stored.
 */
export async function recordableColumns(tx: Tx): Promise<ReadonlySet<string>> {
  const tables = await readSchemaTables(tx);
  const own = tables.filter(({ autoEnrich, schemaType, linked }) => autoEnrich && schemaType === 'customer' && !linked);
  const schemas = tables.map(toSnapshotSchema);
  const joined = joinedSources({ schemas, joins: await readJoins(tx) }, null).flatMap(({ values }) => values);
  const never = new Set(
    tables.flatMap(({ columns }) => columns.flatMap(({ name, neverStore }) => (neverStore ? [name] : []))),
  );
  return new Set([
    ...own.flatMap(({ columns }) => columns.flatMap(({ name }) => (never.has(name) ? [] : [name]))),
    ...joined.flatMap(({ name, column }) => (never.has(name) || (column !== null && never.has(column)) ? [] : [name])),
  ]);
}
