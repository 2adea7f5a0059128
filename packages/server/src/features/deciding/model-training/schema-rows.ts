import type { Json } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import {
  type RowTexts,
  readSchemaTables,
  type SchemaTable,
  selectRowTexts,
  tableExists,
} from '../../catalogue/schemas/index.ts';
import { columnsRead, type SchemaPages } from './schema-pages.rules.ts';
import { maxRows } from './training-set.ts';

const perPage = 5_000;

/**
 * Returns the rows of a schema, unread: reading them takes hundreds of milliseconds, which the thread has and decisions
 * don't. Null: the schema is gone.
 */
export async function schemaRows(
  database: Database,
  {
    tenantId,
    schemaId,
    targetField,
    predictors,
    signal,
  }: {
    readonly tenantId: string;
    readonly schemaId: string;
    readonly targetField: string;
    readonly predictors: readonly Json[];
    readonly signal: AbortSignal;
  },
): Promise<SchemaPages | null> {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>) => database.withTenant(tenantId, systemActor('model-train'), work);
  const table = await inTenant((tx) => findTable(tx, schemaId));
  if (table === null || !(await inTenant((tx) => tableExists(tx, table)))) return null;
  const { primaryKey } = table;
  const features = columnsRead(predictors);
  const columns = table.columns.filter(
    ({ name, neverStore }) => name === primaryKey || name === targetField || (features.has(name) && !neverStore),
  );
  const names = columns.map(({ name }) => name);
  const pages: (readonly string[])[] = [];
  let after: string | null = null;
  for (let count = 0; count < maxRows; count += perPage) {
    signal.throwIfAborted();
    const range = { after, limit: perPage };
    const page: RowTexts = await inTenant((tx) => selectRowTexts(tx, table, names, range));
    if (page.count > 0) pages.push(page.columns);
    if (page.count < perPage) break;
    after = page.last;
  }
  return { predictors, targetField, primaryKey, columns, pages };
}

async function findTable(tx: Tx, schemaId: string): Promise<SchemaTable | null> {
  return (await readSchemaTables(tx)).find((table) => table.schemaId === schemaId) ?? null;
}
