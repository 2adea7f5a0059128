import { type SchemaField, schemaResource } from '@arbiter/contract';
import { columns, select } from '../../db/columns.ts';
import type { Tx } from '../../db/tx.ts';
import { isUuid } from '../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';
import { columnType, readDefault, rowKeyOf } from './fields.rules.ts';
import { Misfit } from './values.rules.ts';

export type SchemaRow = RecordRow<typeof schemaResource>;

export const schemaSpec = recordSpec(schemaResource);

/** The schema that has a field with this id, or null; a malformed id is an unknown one. */
export async function schemaIdOfField(tx: Tx, fieldId: string): Promise<string | null> {
  if (!isUuid(fieldId)) return null;
  const [row] = await select(
    tx,
    columns(schemaSpec, ['id']),
    `from arbiter.schemas
     where tenant_id = $1 and fields @> jsonb_build_array(jsonb_build_object('id', $2::uuid::text))`,
    [tx.tenantId, fieldId],
  );
  return row?.id ?? null;
}

/** Waits for other changes of links of this tenant: two at once could close a circle that neither sees. */
export async function lockLinks(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.schema_links.' || $1, 0))`, [tx.tenantId]);
}

/** Ids of the schema and of everything above it. */
export async function ancestorsOf(tx: Tx, id: string): Promise<Set<string>> {
  const rows = await tx.query<Pick<SchemaRow, 'id'>>(
    `with recursive chain (id, parent) as (
       select id, linked_schema_id from arbiter.schemas where tenant_id = $1 and id = $2
       union
       select s.id, s.linked_schema_id from arbiter.schemas s join chain c on s.tenant_id = $1 and s.id = c.parent
     ) select id from chain`,
    [tx.tenantId, id],
  );
  return new Set(rows.map((row) => row.id));
}

/** A column as the functions of migration 0003 take it. */
function column(field: SchemaField): Record<string, unknown> {
  const type = columnType(field);
  const value = readDefault(type, field.defaultValue);
  if (value instanceof Misfit) throw new Error(`stored default of field ${field.id} does not fit its type`);
  const literal = value !== null && 'literal' in value ? value.literal : null;
  return {
    ...type,
    name: field.name,
    isNullable: field.isNullable,
    isUnique: field.isUnique && !field.isPrimaryKey,
    default:
      value === null || 'function' in value
        ? value
        : { literal: typeof literal === 'string' ? literal : JSON.stringify(literal) },
  };
}

/** Makes the table of a schema, in the transaction that made its record. */
export async function createTable(tx: Tx, tableName: string, fields: readonly SchemaField[]): Promise<void> {
  await tx.query('select arbiter.ds_create_table($1, $2::jsonb, $3, $4)', [
    tableName,
    JSON.stringify(fields.map(column)),
    fields.find((field) => field.isPrimaryKey)?.name ?? null,
    rowKeyOf(fields),
  ]);
}

export async function dropTable(tx: Tx, tableName: string): Promise<void> {
  await tx.query('select arbiter.ds_drop_table($1)', [tableName]);
}

/** Adds the column of `field`, and the index of the row key as it is with `fields`. */
export async function addColumn(
  tx: Tx,
  tableName: string,
  field: SchemaField,
  fields: readonly SchemaField[],
): Promise<void> {
  await tx.query('select arbiter.ds_add_column($1, $2::jsonb)', [tableName, JSON.stringify(column(field))]);
  await tx.query('select arbiter.ds_index_column($1, $2)', [tableName, rowKeyOf(fields)]);
}

/** Drops a column with its data and indexes; `fields` are those that stay. */
export async function dropColumn(
  tx: Tx,
  tableName: string,
  name: string,
  fields: readonly SchemaField[],
): Promise<void> {
  await tx.query('select arbiter.ds_drop_column($1, $2)', [tableName, name]);
  await tx.query('select arbiter.ds_index_column($1, $2)', [tableName, rowKeyOf(fields)]);
}

/** True when the tenant has a schema. */
export async function hasSchemas(tx: Tx): Promise<boolean> {
  return (await tx.query('select from arbiter.schemas where tenant_id = $1 limit 1', [tx.tenantId])).length > 0;
}
