import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../../platform/json.ts';
import type { ReadOptions, SourceBatch, SourceRow } from '../../reader.ts';
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

/** Reads one row per key, sorted by key, so that a read can resume even if keys were added. */
export async function* readLookups(
  keys: readonly string[],
  lookup: Lookup,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const last = lastKeyIn(cursor);
  const sorted = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1)).filter((key) => last === null || key > last);
  let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY;
  for (let at = 0; at < sorted.length && left > 0; ) {
    const page = sorted.slice(at, at + Math.min(pageSize, left));
    const rows: SourceRow[] = [];
    const keysOfRows: string[] = [];
    for (const [index, row] of (await inParallel(page, lookup)).entries()) {
      const key = page[index];
      if (row === null || key === undefined || rows.length >= left) continue;
      rows.push(row);
      keysOfRows.push(key);
    }
    yield* inPieces(rows, (count) => ({ after: keysOfRows[count - 1] ?? '' }));
    left -= rows.length;
    at += page.length;
  }
}
