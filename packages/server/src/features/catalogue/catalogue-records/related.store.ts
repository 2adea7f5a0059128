import { type EntityType, type ResourceOf, resources } from '@arbiter/contract';
import { columnKinds } from '../../../db/rows.ts';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, tableOf } from './record-spec.ts';
import { anyTable, rowsOf } from './records.store.ts';

/** Columns of the records of a resource. */
export type ColumnOf<E extends EntityType> = keyof RecordRow<ResourceOf<E>> & string;

/** These columns of a neighbour's row; the id is always there. JSON is as the neighbour's records show it. */
export type RelatedRow<E extends EntityType, C extends ColumnOf<E>> = Pick<RecordRow<ResourceOf<E>>, C | 'id'>;

/**
 * Columns of the neighbour's rows with these ids, by id, deleted ones included: what a record shows of the records it
 * refers to. Nulls among the ids are skipped.
 */
export async function readRelated<E extends EntityType, const C extends ColumnOf<E>>(
  tx: Tx,
  entityType: E,
  ids: readonly (string | null)[],
  columns: readonly C[],
): Promise<ReadonlyMap<string, RelatedRow<E, C>>> {
  const known = [...new Set(ids.filter((id): id is string => id !== null && isUuid(id)))];
  if (known.length === 0) return new Map();
  const table: string = tableOf(resources[entityType]);
  const query = anyTable(tx)
    .selectFrom(table)
    .select(['id', ...columns])
    .where('tenantId', '=', tx.tenantId)
    .where('id', 'in', known);
  const rows = await rowsOf<RelatedRow<E, C>>(tx, query);
  return new Map(rows.map((row) => [row.id, row]));
}

/** ID and key, or name for records without key, of all live records of a resource. */
export async function readNames(
  tx: Tx,
  entityType: EntityType,
): Promise<{ readonly id: string; readonly name: string }[]> {
  const resource = resources[entityType];
  const table: string = tableOf(resource);
  const naming: string = 'key' in resource.unique ? 'key' : 'name';
  let query = anyTable(tx)
    .selectFrom(table)
    .select('id')
    .select(sql<string>`${sql.ref(naming)}`.as('name'))
    .where('tenantId', '=', tx.tenantId)
    .orderBy('id');
  if (resource.softDelete) query = query.where('deletedAt', 'is', null);
  return rowsOf(tx, query);
}

/**
 * The neighbour's live rows that refer to these ids by `column`, oldest first, grouped by the id referred to: what a
 * record shows of the records that refer to it.
 */
export async function readReferring<E extends EntityType, const C extends ColumnOf<E>>(
  tx: Tx,
  entityType: E,
  column: ReferringColumn<E>,
  ids: readonly string[],
  columns: readonly C[],
): Promise<ReadonlyMap<string, readonly RelatedRow<E, C>[]>> {
  if (ids.length === 0) return new Map();
  const resource = resources[entityType];
  const table: string = tableOf(resource);
  const name: string = column;
  let query = anyTable(tx)
    .selectFrom(table)
    .select(['id', ...columns])
    .select(sql<string>`${sql.ref(name)}`.as('referredTo'))
    .where('tenantId', '=', tx.tenantId)
    .where(name, 'in', [...ids])
    .orderBy('id');
  if (resource.softDelete) query = query.where('deletedAt', 'is', null);
  const rows = await rowsOf<RelatedRow<E, C> & { readonly referredTo: string }>(tx, query);
  return Map.groupBy(rows, (row) => row.referredTo);
}

/**
 * Locks a record for deletion and compares its row version with the caller's: throws 409 `row_version_conflict` when
 * they differ. Ignores a missing record, because deleting it reports that.
 */
export async function requireVersion(tx: Tx, entityType: EntityType, id: string, expected: number): Promise<void> {
  if (!isUuid(id)) return;
  const table = tableOf(resources[entityType]);
  const counter = 'rowVersion' in columnKinds[table] ? 'rowVersion' : 'version';
  const query = anyTable(tx)
    .selectFrom(table)
    .select(sql<number>`${sql.ref(counter)}`.as('counter'))
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id);
  const [row] = await rowsOf<{ counter: number }>(tx, query.forUpdate());
  if (row === undefined || row.counter === expected) return;
  throw new AppError('row_version_conflict', {
    detail: `The ${resources[entityType].noun} has changed: it is at version ${row.counter}, not ${expected}. Reload it and try again.`,
    errors: [{ path: '/rowVersion', message: `is ${expected}, but the record is at ${row.counter}` }],
  });
}

/** Columns by which the records of a resource refer to others. */
export type ReferringColumn<E extends EntityType> = keyof ResourceOf<E>['references'] & string;

/** Returns how many live rows of the neighbor refer to each of these ids by `column`. IDs without any are missing. */
export async function countReferring<E extends EntityType>(
  tx: Tx,
  entityType: E,
  column: ReferringColumn<E>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const resource = resources[entityType];
  const table: string = tableOf(resource);
  const name: string = column;
  let query = anyTable(tx)
    .selectFrom(table)
    .select(sql<string>`${sql.ref(name)}`.as('referredTo'))
    .select(sql<number>`count(*)::int`.as('referring'))
    .where('tenantId', '=', tx.tenantId)
    .where(name, 'in', [...ids])
    .groupBy(name);
  if (resource.softDelete) query = query.where('deletedAt', 'is', null);
  return new Map((await query.execute()).map((row) => [row.referredTo, row.referring]));
}

/** How many live records of a resource have this value in a column. */
export async function countRecords<E extends EntityType>(
  tx: Tx,
  entityType: E,
  column: ColumnOf<E>,
  value: string,
): Promise<number> {
  const resource = resources[entityType];
  const table: string = tableOf(resource);
  let query = anyTable(tx)
    .selectFrom(table)
    .select(sql<number>`count(*)::int`.as('count'))
    .where('tenantId', '=', tx.tenantId)
    .where(column, '=', value);
  if (resource.softDelete) query = query.where('deletedAt', 'is', null);
  const [row] = await rowsOf<{ count: number }>(tx, query);
  return row?.count ?? 0;
}
