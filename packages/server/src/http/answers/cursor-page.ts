import type { Pagination } from '@arbiter/contract';

/** What a list read: the rows of one page and one more, if there is one. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** The page size: `pageSize` of the list's limits. */
  readonly limit: number;
  /** Rows that match the filters, on all pages. */
  readonly total: number;
  /** The cursor that begins after this row. */
  cursorOf(row: Row): string;
}

/** The rows of the page, without the one behind it, and where the page stands. */
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
