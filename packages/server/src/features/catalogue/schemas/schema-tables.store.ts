import type { DataType } from '@arbiter/contract';
import type { SnapshotSchema } from '@arbiter/engine';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { primaryKeyOf, rowKeyOf } from './fields/fields.rules.ts';
import { schemaSpec } from './schemas.store.ts';

/** What reading a tenant's table needs, as one value that can be stored with a plan. */
export interface SchemaTable {
  readonly schemaId: string;
  readonly name: string;
  readonly schemaType: string;
  readonly autoEnrich: boolean;
  /** It has a parent (`linkedSchemaId`), whether or not the link is active. */
  readonly linked: boolean;
  /** Quoted and qualified: `"t_…"."ds_…"`. */
  readonly table: string;
  /** Column compared with the customer id. */
  readonly rowKey: string;
  readonly primaryKey: string;
  /** Whether the rows have our own counting column, `id`, for lack of a primary key. */
  readonly isCounted: boolean;
  /** Columns by ordinal; with the counting column `id` first when the schema has no primary key. */
  readonly columns: readonly SchemaColumn[];
}

export interface SchemaColumn {
  readonly name: string;
  readonly dataType: DataType;
  readonly neverStore: boolean;
}

/** Names come from our own tables, where they were matched at creation; quoting is the second lock (docs/design/quality.md T3). */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Qualified name of a tenant's table. */
export function qualifiedTable(tenantId: string, tableName: string): string {
  return `${quoteName(`t_${tenantId.replaceAll('-', '')}`)}.${quoteName(tableName)}`;
}

const storedColumns = columns(schemaSpec, [
  'id',
  'name',
  'schemaType',
  'tableName',
  'autoEnrich',
  'linkedSchemaId',
  'fields',
]);

export function schemaTable(tenantId: string, schema: RowOf<typeof storedColumns>): SchemaTable {
  const primaryKey = primaryKeyOf(schema.fields);
  const own = schema.fields.map(({ name, dataType, neverStore }) => ({ name, dataType, neverStore }));
  const isCounted = !schema.fields.some((field) => field.isPrimaryKey);
  const counting = isCounted ? [{ name: 'id', dataType: 'bigint', neverStore: false } as const] : [];
  return {
    schemaId: schema.id,
    name: schema.name,
    schemaType: schema.schemaType,
    autoEnrich: schema.autoEnrich,
    linked: schema.linkedSchemaId !== null,
    table: qualifiedTable(tenantId, schema.tableName),
    rowKey: rowKeyOf(schema.fields),
    primaryKey,
    isCounted,
    columns: [...counting, ...own],
  };
}

/** Returns every schema's table, oldest schema first. */
export async function readSchemaTables(tx: Tx): Promise<SchemaTable[]> {
  const rows = await select(tx, storedColumns, 'from arbiter.schemas where tenant_id = $1 order by id', [tx.tenantId]);
  return rows.map((row) => schemaTable(tx.tenantId, row));
}

/**
 * Returns a schema as `compile` takes it. Leaves out the counting column unless it's the row key, because it isn't a
 * field.
 */
export function toSnapshotSchema(table: SchemaTable): SnapshotSchema {
  const isCounting = (column: SchemaColumn) => table.isCounted && column.name === table.primaryKey;
  return {
    id: table.schemaId,
    name: table.name,
    schemaType: table.schemaType,
    autoEnrich: table.autoEnrich,
    rowKey: table.rowKey,
    // Left out where they say nothing, so that plans keep their hashes.
    ...(table.primaryKey === table.rowKey ? {} : { primaryKey: table.primaryKey }),
    ...(table.linked ? { linked: true } : {}),
    columns: table.columns.filter((column) => column.name === table.rowKey || !isCounting(column)),
  };
}

/** Returns every schema of the tenant as `compile` takes it, oldest first (docs/design/api-catalogue.md 2.3). */
export async function snapshotSchemas(tx: Tx): Promise<SnapshotSchema[]> {
  return (await readSchemaTables(tx)).map(toSnapshotSchema);
}
