import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../../platform/json.ts';
import type { ReadOptions, RowKeys, SourceBatch, SourceRow } from '../../reader.ts';
import { inPieces } from '../sql-reader.ts';

const atOnce = 10;
const pageSize = 500;

/** Looks up one key. Null: the source doesn't have it. */
export type Lookup = (key: string) => Promise<SourceRow | null>;

const lastKeyIn = (cursor: Json | null): string | null =>
  isObject(cursor) && typeof cursor.after === 'string' ? cursor.after : null;

async function inParallel(keys: readonly string[], lookup: Lookup): Promise<(SourceRow | null)[]> {
  const found: (SourceRow | null)[] = [];
  for (let at = 0; at < keys.length; at += atOnce) {
    found.push(...(await Promise.all(keys.slice(at, at + atOnce).map(lookup))));
  }
  return found;
}

/** Returns a known list of keys page by page. */
export function pagedKeys(keys: readonly string[]): RowKeys {
  const sorted = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1));
  return async (after, limit) => {
    const from = after === null ? 0 : sorted.findIndex((key) => key > after);
    return from < 0 ? [] : sorted.slice(from, from + limit);
  };
}

/** Reads one row per key in key order, so that a read can resume even if keys were added. */
export async function* readLookups(
  rowKeys: RowKeys,
  lookup: Lookup,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  let last = lastKeyIn(cursor);
  for (let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY; left > 0; ) {
    const limit = Math.min(pageSize, left);
    const page = await rowKeys(last, limit);
    const rows: SourceRow[] = [];
    const keysOfRows: string[] = [];
    for (const [index, row] of (await inParallel(page, lookup)).entries()) {
      const key = page[index];
      if (row === null || key === undefined) continue;
      rows.push(row);
      keysOfRows.push(key);
    }
    yield* inPieces(rows, (count) => ({ after: keysOfRows[count - 1] ?? '' }));
    left -= rows.length;
    last = page.at(-1) ?? last;
    if (page.length < limit) return;
  }
}
