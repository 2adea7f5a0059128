import { sql } from '../../db/sql.ts';
import type { Tx } from '../../db/tx.ts';
import { isUuid } from './record-spec.ts';
import type { AnyTables } from './record-store.ts';
import { type Referable, referable } from './references.ts';

export type RelatedRow = Readonly<Record<string, unknown>>;

/**
 * Columns (camelCase, `id` is always there) of the neighbour's rows with these ids, by id, deleted ones included: what a
 * record shows of the records it refers to. Nulls among the ids are skipped.
 */
export async function readRelated(
  tx: Tx,
  resource: Referable,
  ids: readonly (string | null)[],
  columns: readonly string[],
): Promise<ReadonlyMap<string, RelatedRow>> {
  const known = [...new Set(ids.filter((id): id is string => id !== null && isUuid(id)))];
  if (known.length === 0) return new Map();
  const rows = await tx
    .kysely<AnyTables>()
    .selectFrom(referable[resource].table)
    .select(['id', ...columns])
    .where('tenantId', '=', tx.tenantId)
    .where('id', 'in', known)
    .execute();
  return new Map(rows.map((row) => [String(row.id), row]));
}

/**
 * The neighbour's live rows that refer to these ids by `column`, oldest first, grouped by the id referred to: what a
 * record shows of the records that refer to it.
 */
export async function readReferring(
  tx: Tx,
  resource: Referable,
  column: string,
  ids: readonly string[],
  columns: readonly string[],
): Promise<ReadonlyMap<string, readonly RelatedRow[]>> {
  if (ids.length === 0) return new Map();
  const { table, softDelete } = referable[resource];
  let query = tx
    .kysely<AnyTables>()
    .selectFrom(table)
    .select(['id', column, ...columns])
    .where('tenantId', '=', tx.tenantId)
    .where(column, 'in', [...ids])
    .orderBy('id');
  if (softDelete) query = query.where('deletedAt', 'is', null);
  return Map.groupBy(await query.execute(), (row) => String(row[column]));
}

/** How many live rows of the neighbour refer to each of these ids by `column`; ids without any are missing. */
export async function countReferring(
  tx: Tx,
  resource: Referable,
  column: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const { table, softDelete } = referable[resource];
  let query = tx
    .kysely<AnyTables>()
    .selectFrom(table)
    .select([column, sql<number>`count(*)::int`.as('referring')])
    .where('tenantId', '=', tx.tenantId)
    .where(column, 'in', [...ids])
    .groupBy(column);
  if (softDelete) query = query.where('deletedAt', 'is', null);
  return new Map((await query.execute()).map((row) => [String(row[column]), Number(row.referring)]));
}
