import { type Pagination, pageSize } from '@arbiter/contract';
import type { Expression, SqlBool } from 'kysely';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { isUuid } from '../../../platform/ids.ts';
import {
  type CursorPosition,
  decodeCursor,
  encodeCursor,
  type ListOrder,
  rejectCursor,
  type SortDirection,
  type SortKey,
} from './cursors.ts';
import type { GovernedRow, RecordSpec } from './record-spec.ts';
import { type AnyColumns, anyTable, rowsOf } from './records.store.ts';

/** The query of a list. How long its pages are and how it is sorted, the resource says. */
export interface ListOptions {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Contained in one of the resource's search columns, any letter case. */
  readonly search?: string | undefined;
  readonly includeDeleted?: boolean | undefined;
  /** Values by the resource's filter columns; null = is null, undefined = no filter. */
  readonly filters?: Readonly<Record<string, unknown>>;
  /** Further conditions. */
  readonly where?: readonly Expression<SqlBool>[];
}

export interface RecordList<Row> {
  readonly rows: readonly Row[];
  readonly pagination: Pagination;
}

/** Text as a pattern that matches only itself. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** Conditions of the rows that a list or a search finds. */
export function recordConditions<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, options: ListOptions) {
  return (eb: AnyColumns): Expression<SqlBool> => {
    const all: Expression<SqlBool>[] = [eb('tenantId', '=', tx.tenantId), ...(options.where ?? [])];
    if (spec.resource.softDelete && options.includeDeleted !== true) all.push(eb('deletedAt', 'is', null));
    for (const [column, value] of Object.entries(options.filters ?? {})) {
      if (value === undefined) continue;
      if (value === null) all.push(eb(column, 'is', null));
      // A malformed id matches nothing, as an unknown one does; the database would refuse it.
      else if (spec.kinds.get(column) === 'uuid' && !isUuid(String(value))) all.push(sql<SqlBool>`false`);
      else all.push(eb(column, '=', value));
    }
    if (options.search !== undefined && options.search !== '') {
      const pattern = `%${escapeLike(options.search)}%`;
      all.push(eb.or(spec.resource.search.map((column) => eb(column, 'ilike', pattern))));
    }
    return eb.and(all);
  };
}

/** Text sorts by code point, whatever the database's locale. */
const sortable = (key: SortKey) =>
  key.kind === 'text' ? sql`${sql.ref(key.column)} collate "C"` : sql`${sql.ref(key.column)}`;

const sortValue = (key: SortKey, value: number | string) =>
  key.kind === 'instant' ? sql`${value}::timestamptz` : key.kind === 'integer' ? sql`${value}::bigint` : sql`${value}`;

function after(order: ListOrder, position: CursorPosition): Expression<SqlBool> {
  const columns: { left: Expression<unknown>; right: Expression<unknown>; direction: SortDirection }[] = [
    ...order.keys.map((key, index) => ({
      left: sortable(key),
      right: sortValue(key, position.values[index] ?? ''),
      direction: key.direction,
    })),
    { left: sql.ref('id'), right: sql`${position.id}::uuid`, direction: order.ids },
  ];
  const alternatives = columns.map(({ left, right, direction }, index) => {
    const equal = columns.slice(0, index).map((column) => sql`${column.left} = ${column.right} and `);
    const step = direction === 'asc' ? sql`${left} > ${right}` : sql`${left} < ${right}`;
    return sql`(${sql.join(equal, sql``)}${step})`;
  });
  return sql<SqlBool>`(${sql.join(alternatives, sql` or `)})`;
}

function positionOf(order: ListOrder, row: GovernedRow): CursorPosition {
  const columns = new Map<string, unknown>(Object.entries(row));
  return {
    values: order.keys.map((key) => {
      const value = columns.get(key.column);
      if (value instanceof Date) return value.toISOString();
      return key.kind === 'integer' ? Number(value) : String(value);
    }),
    id: row.id,
  };
}

/**
 * Returns one page of a cursor list (docs/design/api-access.md 1, docs/design/quality.md E15). The cursor's row must
 * exist in the tenant, deleted or not, otherwise 400 `invalid_cursor`. The statement that reads the page also counts
 * `total`, so both agree. A limit above the maximum becomes the maximum and is echoed; the contract rejects limits
 * below 1.
 */
export async function listRecords<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  options: ListOptions,
): Promise<RecordList<Row>> {
  const { order } = spec;
  const table: string = spec.table;
  const db = anyTable(tx);
  const limit = pageSize(spec.resource.page, options.limit);
  const matches = recordConditions(tx, spec, options);
  const position = options.cursor === undefined ? null : decodeCursor(order, options.cursor);
  if (position !== null && !(await exists(tx, table, position.id))) rejectCursor();

  const count = db.selectFrom(table).where(matches).select(sql<number>`count(*)::int`.as('total'));
  let query = db
    .selectFrom(table)
    .selectAll()
    .select(count.as('listTotal'))
    .where(matches)
    .limit(limit + 1);
  for (const key of order.keys) query = query.orderBy(sortable(key), key.direction);
  query = query.orderBy('id', order.ids);
  if (position !== null) query = query.where(after(order, position));

  const found = await rowsOf<CountedRow<Row>>(tx, query);
  const total = takeTotal(found) ?? (position === null ? 0 : (await count.executeTakeFirst())?.total) ?? 0;
  const cursorOf = (row: Row) => encodeCursor(order, positionOf(order, row));
  return pageOf({ rows: found, limit, total, cursorOf });
}

/** A row of a page, with the number of all rows until that is removed: the statement that reads the page counts them. */
type CountedRow<Row> = Row & { listTotal?: number };

/** Takes the number of all rows out of the rows of a page; null for an empty page. */
function takeTotal<Row>(rows: readonly CountedRow<Row>[]): number | null {
  const total = rows[0]?.listTotal ?? null;
  for (const row of rows) delete row.listTotal;
  return total;
}

async function exists(tx: Tx, table: string, id: string): Promise<boolean> {
  const row = await anyTable(tx)
    .selectFrom(table)
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
