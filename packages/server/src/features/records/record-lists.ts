import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { sql } from '../../db/sql.ts';
import type { Tx } from '../../db/tx.ts';
import {
  type CursorPosition,
  decodeCursor,
  encodeCursor,
  type ListOrder,
  rejectCursor,
  type SortDirection,
  type SortKey,
} from './cursors.ts';
import { type GovernedRow, isUuid, type RecordSpec } from './record-spec.ts';
import { type AnyTables, asRow } from './record-store.ts';

type Build = ExpressionBuilder<AnyTables, string>;

export interface ListOptions<Row extends GovernedRow> {
  readonly order: ListOrder;
  readonly defaultLimit: number;
  readonly maximumLimit: number;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Contained in one of the spec's search columns, any letter case. */
  readonly search?: string | undefined;
  readonly includeDeleted?: boolean | undefined;
  /** Columns that must equal a value; null = is null, undefined = no filter. */
  readonly filters?: { readonly [K in keyof Row]?: Row[K] | undefined };
  /** A further condition. */
  readonly where?: (eb: Build) => Expression<SqlBool>;
}

export interface Pagination {
  readonly total: number;
  readonly limit: number;
  readonly hasMore: boolean;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
}

export interface RecordList<Row> {
  readonly rows: readonly Row[];
  readonly pagination: Pagination;
}

const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

function conditions<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, options: ListOptions<Row>) {
  return (eb: Build): Expression<SqlBool> => {
    const all: Expression<SqlBool>[] = [eb('tenantId', '=', tx.tenantId)];
    if (spec.softDelete && options.includeDeleted !== true) all.push(eb('deletedAt', 'is', null));
    const ids: readonly string[] = spec.idColumns;
    for (const [column, value] of Object.entries(options.filters ?? {})) {
      if (value === undefined) continue;
      if (value === null) all.push(eb(column, 'is', null));
      else if (ids.includes(column) && !isUuid(String(value))) all.push(sql<SqlBool>`false`);
      else all.push(eb(column, '=', value));
    }
    if (options.search !== undefined && options.search !== '') {
      const pattern = likePattern(options.search);
      const columns: readonly string[] = spec.searchColumns;
      all.push(eb.or(columns.map((column) => eb(column, 'ilike', pattern))));
    }
    if (options.where !== undefined) all.push(options.where(eb));
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

function positionOf(order: ListOrder, row: Record<string, unknown>): CursorPosition {
  return {
    values: order.keys.map((key) => {
      const value = row[key.column];
      if (value instanceof Date) return value.toISOString();
      return key.kind === 'integer' ? Number(value) : String(value);
    }),
    id: String(row.id),
  };
}

/**
 * One page of a cursor list (api-access.md 1, quality.md E15). The cursor's row must exist in the tenant, deleted or
 * not, else 400 `invalid_cursor`. `total` is counted in the statement that reads the page, so both agree. A limit above
 * the maximum becomes the maximum and is echoed; below 1 never comes here (the contract refuses it).
 */
export async function listRecords<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  options: ListOptions<Row>,
): Promise<RecordList<Row>> {
  const { order } = options;
  const db = tx.kysely<AnyTables>();
  const limit = Math.min(options.limit ?? options.defaultLimit, options.maximumLimit);
  const matches = conditions(tx, spec, options);
  const position = options.cursor === undefined ? null : decodeCursor(order, options.cursor);
  if (position !== null && !(await exists(tx, spec, position.id))) rejectCursor();

  const count = db.selectFrom(spec.table).where(matches).select(sql<number>`count(*)::int`.as('total'));
  let query = db
    .selectFrom(spec.table)
    .selectAll()
    .select(count.as('listTotal'))
    .where(matches)
    .limit(limit + 1);
  for (const key of order.keys) query = query.orderBy(sortable(key), key.direction);
  query = query.orderBy('id', order.ids);
  if (position !== null) query = query.where(after(order, position));

  const found = await query.execute();
  const total = found[0]?.listTotal ?? (position === null ? 0 : (await count.executeTakeFirst())?.total);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit;
  const nextCursor = hasMore && last !== undefined ? encodeCursor(order, positionOf(order, last)) : null;
  return {
    rows: page.map(({ listTotal: _total, ...row }) => asRow<Row>(row)),
    pagination: { total: Number(total ?? 0), limit, hasMore, cursor: nextCursor, nextCursor },
  };
}

async function exists<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, id: string): Promise<boolean> {
  const row = await tx
    .kysely<AnyTables>()
    .selectFrom(spec.table)
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
