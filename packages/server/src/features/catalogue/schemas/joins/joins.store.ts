import { schemaJoinResource } from '@arbiter/contract';
import type { SqlBool } from 'kysely';
import { columns, select } from '../../../../db/columns.ts';
import { sql } from '../../../../db/sql.ts';
import type { Tx } from '../../../../db/tx.ts';
import { isUuid } from '../../../../platform/ids.ts';
import { type ListOptions, type RecordRow, recordSpec } from '../../catalogue-records/index.ts';

export type SchemaJoinRow = RecordRow<typeof schemaJoinResource>;

export const schemaJoinSpec = recordSpec(schemaJoinResource);

/** Joins that compare this column of a schema, by id. */
export async function joinsOfColumn(
  tx: Tx,
  schemaId: string,
  column: string,
): Promise<Pick<SchemaJoinRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(schemaJoinSpec, ['id', 'name']),
    `from arbiter.schema_joins
     where tenant_id = $1 and ((primary_schema_id = $2 and primary_key = $3) or (foreign_schema_id = $2 and foreign_key = $3))
     order by id`,
    [tx.tenantId, schemaId, column],
  );
}

/** List option: joins with this schema on either side. */
export function joinsOf(schemaId: string | undefined): Pick<ListOptions, 'where'> {
  if (schemaId === undefined) return {};
  if (!isUuid(schemaId)) return { where: [sql<SqlBool>`false`] };
  return { where: [sql<SqlBool>`${schemaId}::uuid in (primary_schema_id, foreign_schema_id)`] };
}
