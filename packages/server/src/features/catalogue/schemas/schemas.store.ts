import { type SchemaField, schemaResource } from '@arbiter/contract';
import { columns, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

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

/** IDs of the schema and of everything above it. */
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

/** A field with the properties that came after it was stored. */
export const wholeField = (field: SchemaField): SchemaField => ({ ...field, isSensitive: field.isSensitive ?? false });

/** True when the tenant has a schema. */
export async function hasSchemas(tx: Tx): Promise<boolean> {
  return (await tx.query('select from arbiter.schemas where tenant_id = $1 limit 1', [tx.tenantId])).length > 0;
}

/** Returns the fields of the schema with this table; null without one. */
export async function selectFieldsOfTable(tx: Tx, tableName: string): Promise<readonly SchemaField[] | null> {
  const [row] = await select(
    tx,
    columns(schemaSpec, ['fields']),
    'from arbiter.schemas where tenant_id = $1 and table_name = $2',
    [tx.tenantId, tableName],
  );
  return row?.fields ?? null;
}
