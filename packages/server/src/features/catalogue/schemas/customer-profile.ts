import { type JoinedSource, joinedSources } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { addJoined, keyOfJoin } from './joins/joined-values.rules.ts';
import { readJoins } from './joins/joins-in-decisions.store.ts';
import { readOneByKey, readRowsByKey, rowsByKeyStatement, type TableRow } from './rows/rows-by-key.store.ts';
import type { JsonValue } from './rows/values.rules.ts';
import { readSchemaTables, type SchemaTable, toSnapshotSchema } from './schema-tables.store.ts';
import { figuresByKeyStatement } from './stats/figures-by-key.store.ts';

/**
 * The attributes that every decision can read of a customer: of customer-type schemas without a parent that enrich
 * automatically, of two columns with the same name that of the older schema, then of linked schemas and joins
 * (docs/design/api-catalogue.md 2.3). Of an unknown customer, the figures of no rows.
 */
export async function readCustomerProfile(tx: Tx, customerId: string): Promise<Readonly<Record<string, unknown>>> {
  const values: Record<string, JsonValue> = {};
  const tables = await readSchemaTables(tx);
  for (const table of tables) {
    if (!table.autoEnrich || table.schemaType !== 'customer' || table.linked) continue;
    const columns = table.columns.map(({ name }) => name);
    const row = (await readRowsByKey(tx, table, columns, [customerId])).get(customerId);
    for (const [name, value] of Object.entries(row ?? {})) if (!Object.hasOwn(values, name)) values[name] = value;
  }
  const byId = new Map(tables.map((table) => [table.schemaId, table]));
  for (const source of joinedSources({ schemas: tables.map(toSnapshotSchema), joins: await readJoins(tx) }, null)) {
    addJoined(values, source, await readJoined(tx, byId, source, customerId));
  }
  return values;
}

/** The row or the figures that a joined schema has of the customer; null for none. */
async function readJoined(
  tx: Tx,
  tables: ReadonlyMap<string, SchemaTable>,
  { schemaId, lookupColumn, path, isMany, values }: JoinedSource,
  customerId: string,
): Promise<TableRow | null> {
  const tableOf = (id: string): SchemaTable => {
    const table = tables.get(id);
    if (table === undefined) throw new Error(`the schema ${id} does not exist`);
    return table;
  };
  let key: string | null = customerId;
  for (const step of path) {
    const row: TableRow | null = await readOneByKey(
      tx,
      rowsByKeyStatement(tableOf(step.schemaId), step.lookupColumn, [step.column]),
      key,
    );
    key = keyOfJoin(row?.[step.column]);
    if (key === null) return null;
  }
  const table = tableOf(schemaId);
  if (isMany) return readOneByKey(tx, figuresByKeyStatement(table, lookupColumn, values), key);
  return readOneByKey(
    tx,
    rowsByKeyStatement(table, lookupColumn, [...new Set(values.flatMap(({ column }) => column ?? []))]),
    key,
  );
}
