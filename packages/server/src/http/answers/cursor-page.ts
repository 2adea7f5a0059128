import type { Pagination } from '@arbiter/contract';

/** The rows of a page, plus one more if there is one. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** The page size: `pageSize` in the list's limits. */
  readonly limit: number;
  /** Number of rows that match the filters, on all pages. */
  readonly total: number;
  /** Returns the cursor that starts after this row. */
  cursorOf(row: Row): string;
}

/** Returns the rows of the page, without the extra one, and its cursor. */
export function pageOf<Row>({ rows, limit, total, cursorOf }: ReadRows<Row>): {
  readonly rows: Row[];
  readonly pagination: Pagination;
} {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore && last !== undefined ? cursorOf(last) : null;
  return { rows: page, pagination: { total, limit, hasMore, cursor: nextCursor, nextCursor } };
}
