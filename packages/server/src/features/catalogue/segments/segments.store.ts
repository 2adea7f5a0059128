import { type SegmentJoin, segmentResource } from '@arbiter/contract';
import type { Condition } from '@arbiter/engine';
import { columns, select } from '../../../db/columns.ts';
import { textArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

/** Joins and filters as they are stored: fields filled in, operators in their first spelling. */
type StoredQuery = { joins: readonly SegmentJoin[]; filters: Condition };

/** A row of `segments`. */
export type SegmentRow = RecordRow<typeof segmentResource, StoredQuery>;

/** Counts are data of the tenant, not its configuration, and the key is the schema's: they are in no audit row. */
export const segmentSpec = recordSpec<typeof segmentResource, StoredQuery>(segmentResource, {
  unaudited: ['customerCount', 'lastRefreshedAt', 'keyField'],
});

const definition = columns(segmentSpec, ['id', 'name', 'baseSchemaId', 'joins', 'filters']);

/** The columns that define a segment's members. */
export type StoredDefinition = Pick<SegmentRow, 'id' | 'name' | 'baseSchemaId' | 'joins' | 'filters'>;

/** Active segments, oldest first. */
export async function selectActiveSegments(tx: Tx): Promise<StoredDefinition[]> {
  return select(tx, definition, `from arbiter.segments where tenant_id = $1 and status = 'active' order by id`, [
    tx.tenantId,
  ]);
}

/** IDs of the segments that are counted on their own: all but archived ones. */
export async function selectCountedIds(tx: Tx): Promise<string[]> {
  const rows = await select(
    tx,
    columns(segmentSpec, ['id']),
    `from arbiter.segments where tenant_id = $1 and status <> 'archived' order by id`,
    [tx.tenantId],
  );
  return rows.map(({ id }) => id);
}

/** Segments that ask rows of this schema, oldest first. */
export async function selectAsking(tx: Tx, schemaId: string): Promise<StoredDefinition[]> {
  return select(
    tx,
    definition,
    `from arbiter.segments where tenant_id = $1
       and (base_schema_id = $2 or joins @> jsonb_build_array(jsonb_build_object('schemaId', $2::uuid::text))) order by id`,
    [tx.tenantId, schemaId],
  );
}

/** Segments whose filters name this field, oldest first. */
export async function selectNamingField(tx: Tx, field: string): Promise<Pick<SegmentRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(segmentSpec, ['id', 'name']),
    `from arbiter.segments where tenant_id = $1
       and jsonb_path_exists(filters, '$.**.field ? (@ == $field)', jsonb_build_object('field', $2::text)) order by id`,
    [tx.tenantId, field],
  );
}

/** Stores a segment's number of customers. Not a new version, because its definition hasn't changed. */
export async function storeCount(tx: Tx, id: string, count: number | null): Promise<void> {
  await tx.query(
    `update arbiter.segments set customer_count = $3, last_refreshed_at = case when $3::bigint is null then last_refreshed_at else $4 end
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, count, tx.now],
  );
}

/** Writes down which column names customers in the view. */
export async function storeKeyField(tx: Tx, id: string, keyField: string): Promise<void> {
  await tx.query('update arbiter.segments set key_field = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    keyField,
  ]);
}

/** Creates or recreates a segment's view in the tenant's database schema. */
export async function createView(
  tx: Tx,
  viewName: string,
  query: { readonly text: string; readonly values: readonly string[] },
): Promise<void> {
  await tx.query('select arbiter.ds_create_segment_view($1, $2, $3::text[])', [
    viewName,
    query.text,
    textArray(query.values),
  ]);
}

export async function dropView(tx: Tx, viewName: string): Promise<void> {
  await tx.query('select arbiter.ds_drop_segment_view($1)', [viewName]);
}

/** Makes the index by which joined rows are found, unless there is one. */
export async function indexColumn(tx: Tx, tableName: string, column: string): Promise<void> {
  await tx.define({ text: 'select arbiter.ds_index_column($1, $2)', values: [tableName, column] });
}

/** Drops the views of all segments. */
export async function dropAllViews(tx: Tx): Promise<void> {
  const rows = await select(tx, columns(segmentSpec, ['viewName']), 'from arbiter.segments where tenant_id = $1', [
    tx.tenantId,
  ]);
  for (const { viewName } of rows) await dropView(tx, viewName);
}

/** Returns the ID of the segment with this view, or null. */
export async function segmentOfView(tx: Tx, viewName: string): Promise<string | null> {
  const [row] = await select(
    tx,
    columns(segmentSpec, ['id']),
    'from arbiter.segments where tenant_id = $1 and view_name = $2',
    [tx.tenantId, viewName],
  );
  return row?.id ?? null;
}
