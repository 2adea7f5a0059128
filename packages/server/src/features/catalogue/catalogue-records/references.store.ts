import { type EntityType, type ErrorEntry, type Resource, resources } from '@arbiter/contract';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type Addressed, tableOf } from './record-spec.ts';
import { anyTable, rowsOf } from './records.store.ts';
import type { ColumnOf, RelatedRow } from './related.store.ts';

/**
 * Checks that `id` names a live record of the tenant and locks it against deletion until the transaction ends (FOR KEY
 * SHARE), so that nothing new refers to a row being deleted (docs/design/quality.md E13). Throws 400
 * `reference_not_found` with `path` (JSON Pointer into the body), the same for missing, deleted, foreign and malformed
 * ids. Returns the requested columns (camelCase), and the id.
 */
export async function requireLive<E extends EntityType, const C extends ColumnOf<E> = 'id'>(
  tx: Tx,
  entityType: E,
  id: string,
  path: string,
  columns: readonly C[] = [],
): Promise<RelatedRow<E, C>> {
  const resource: Resource = resources[entityType];
  const { noun, softDelete } = resource;
  const missing = () =>
    new AppError('reference_not_found', {
      detail: `${path} must be the ID of an existing ${noun} in this tenant.`,
      errors: [{ path, message: `must be the ID of an existing ${noun}` }],
    });
  if (!isUuid(id)) throw missing();
  const table: string = tableOf(resource);
  let query = anyTable(tx)
    .selectFrom(table)
    .select(['id', ...columns])
    .where('id', '=', id)
    .where('tenantId', '=', tx.tenantId);
  if (softDelete) query = query.where('deletedAt', 'is', null);
  const [row] = await rowsOf<RelatedRow<E, C>>(tx, query.forKeyShare());
  if (row === undefined) throw missing();
  return row;
}

/** Keeps a record alive until the transaction ends, as `requireLive` does; false when it is missing or deleted. */
export async function lockLive(tx: Tx, table: string, softDelete: boolean, id: string): Promise<boolean> {
  let query = anyTable(tx).selectFrom(table).select('id').where('tenantId', '=', tx.tenantId).where('id', '=', id);
  if (softDelete) query = query.where('deletedAt', 'is', null);
  return (await rowsOf(tx, query.forKeyShare())).length > 0;
}

/** One kind of reference that keeps a record from being deleted. */
interface Referrer {
  readonly resource: Resource;
  /** The referring column (camelCase): `categoryId`. */
  readonly column: string;
  /** Path inside the JSON column to the value, itself or in a list; null: the column is the value. */
  readonly path: string | null;
  /** Only referrers with this status count. */
  readonly status?: string;
}

const maximumReferrersShown = 20;

/** References that deleting a record of this resource must not leave behind: those marked `refuse`. */
function refusingReferrers(entityType: string): Referrer[] {
  return Object.values<Resource>(resources).flatMap((resource) =>
    Object.entries(resource.references).flatMap(([column, { to, onDelete }]) =>
      to === entityType && onDelete === 'refuse' ? [{ resource, column, path: null }] : [],
    ),
  );
}

/**
 * Throws 409 `in_use` while live records refer to the record `id` by a reference that refuses its deletion, with one
 * `errors[]` entry per referrer, at most 20 (docs/design/api-catalogue.md). Call it while the row is locked for deletion.
 */
export async function assertNotReferenced(tx: Tx, resource: Resource, id: string, addressed: Addressed): Promise<void> {
  await refuseReferrers(tx, resource, id, addressed, refusingReferrers(resource.entityType));
}

/** Like `assertNotReferenced`, for a key under a property of other records' JSON column, itself or in a list. */
export async function assertNotMentioned<E extends EntityType>(
  tx: Tx,
  resource: Resource,
  key: string,
  addressed: Addressed,
  by: { readonly resource: E; readonly column: ColumnOf<E>; readonly property: string; readonly status: string },
): Promise<void> {
  const { column, status } = by;
  const path = `$.${JSON.stringify(by.property)} ? (@ == $value)`;
  await refuseReferrers(tx, resource, key, addressed, [{ resource: resources[by.resource], column, path, status }]);
}

async function refuseReferrers(
  tx: Tx,
  resource: Resource,
  value: string,
  addressed: Addressed,
  referrers: readonly Referrer[],
): Promise<void> {
  const entries: ErrorEntry[] = [];
  for (const referrer of referrers) {
    if (entries.length >= maximumReferrersShown) break;
    const rows = await readReferrers(tx, referrer, value, maximumReferrersShown - entries.length);
    entries.push(...rows.map(({ id, name }) => inUseEntry(addressed, referrer.resource.noun, name, id)));
  }
  if (entries.length > 0) throw inUse(resource.noun, entries);
}

function readReferrers(tx: Tx, { resource, column, path, status }: Referrer, value: string, limit: number) {
  const table: string = tableOf(resource);
  let query = anyTable(tx).selectFrom(table).select(['id', 'name']).where('tenantId', '=', tx.tenantId);
  query =
    path === null
      ? query.where(column, '=', value)
      : query.where(sql<boolean>`jsonb_path_exists(${sql.ref(column)}, ${path}::jsonpath, ${mention(value)})`);
  if (resource.softDelete) query = query.where('deletedAt', 'is', null);
  if (status !== undefined) query = query.where('status', '=', status);
  return rowsOf<{ readonly id: string; readonly name: string }>(tx, query.orderBy(sql.ref('id')).limit(limit));
}

const mention = (value: string) => sql`jsonb_build_object('value', ${value}::text)`;

/** One `errors[]` entry of `in_use`. */
export function inUseEntry(addressed: Addressed, noun: string, name: string, id: string): ErrorEntry {
  return { path: `${addressed}.id`, message: `is used by ${noun} ${JSON.stringify(name)} (${id})` };
}

/** 409 `in_use` with the referrers found; at most 20 are shown. */
export function inUse(noun: string, entries: readonly ErrorEntry[]): AppError {
  return new AppError('in_use', {
    detail: `The ${noun} is still in use.`,
    errors: entries.slice(0, maximumReferrersShown),
  });
}
