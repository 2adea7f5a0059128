import type { Json } from '@arbiter/engine';
import type { TableQuery } from '../../../../db/index.ts';
import { isObject } from '../../../../platform/json.ts';
import { maxBytes, maxRows, sizeOf } from '../../../../platform/sources/source-batches.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceBatch, SourceReader, SourceRow } from '../reader.ts';
import { requiredText, type Source, textOf } from '../source.ts';

/** Runs one query, at most `rows` rows at a time, until the last is empty. */
export type SqlPages = (query: TableQuery, signal: AbortSignal) => AsyncIterable<readonly SourceRow[]>;

const longestName = 128;

/** Quotes a name: identifiers are split at dots, and everything else in them is part of a name (docs/design/quality.md T3). */
function quotedTable(source: Pick<Source, 'config'>, quote: '"' | '`'): string {
  const table = requiredText(source, 'sourceTable');
  const schema = textOf(source, 'schema');
  const parts = table.includes('.') || schema === undefined ? table.split('.') : [...schema.split('.'), table];
  return parts.map((part) => quoted(part, quote)).join('.');
}

function quoted(name: string, quote: '"' | '`'): string {
  return `${quote}${name
    .replaceAll('\0', '')
    .slice(0, longestName)
    .replaceAll(quote, quote + quote)}${quote}`;
}

const watermarkOf = (cursor: Json | null): string | null => {
  const value = isObject(cursor) ? cursor.watermark : null;
  return typeof value === 'string' ? value : null;
};

/**
 * Reads a table. With a watermark, each batch ends where the watermark changes, so that a later read from the cursor
 * neither misses rows nor repeats them. More than 8 MB of rows with one watermark come as partial batches.
 */
export function sqlReader(
  source: Source,
  { pages, quote, close }: { readonly pages: SqlPages; readonly quote: '"' | '`'; readonly close: () => Promise<void> },
): SourceReader {
  const column = textOf(source, 'watermarkColumn') ?? null;
  return {
    isResumable: column !== null,
    async *read({ cursor, signal, rowLimit }) {
      const query = {
        table: quotedTable(source, quote),
        watermark: column === null ? null : quoted(column, quote),
        after: watermarkOf(cursor),
        limit: column === null ? rowLimit : 0,
      };
      const rows = pages(query, signal);
      yield* column === null ? wholeTable(rows) : byWatermark(rows, column, query.after, rowLimit);
    },
    committed: async () => undefined,
    close,
  };
}

async function* wholeTable(pages: AsyncIterable<readonly SourceRow[]>): AsyncGenerator<SourceBatch> {
  for await (const rows of pages) yield* inPieces(rows, () => null);
}

/** Cuts rows into batches. `cursorAfter`: cursor after that many rows. */
export function* inPieces(rows: readonly SourceRow[], cursorAfter: (rows: number) => Json): Generator<SourceBatch> {
  let piece: SourceRow[] = [];
  let size = 0;
  let count = 0;
  for (const row of rows) {
    const bytes = sizeOf(row);
    if (piece.length === maxRows || (piece.length > 0 && size + bytes > maxBytes)) {
      yield { rows: piece, cursor: cursorAfter(count) };
      piece = [];
      size = 0;
    }
    piece.push(row);
    size += bytes;
    count += 1;
  }
  if (piece.length > 0) yield { rows: piece, cursor: cursorAfter(count) };
}

async function* byWatermark(
  pages: AsyncIterable<readonly SourceRow[]>,
  column: string,
  first: string | null,
  rowLimit: number,
): AsyncGenerator<SourceBatch> {
  let rows: SourceRow[] = [];
  let size = 0;
  let total = 0;
  /** Every row up to here is in a batch. */
  let reached = first;
  let last: string | null = null;
  const cursor = (watermark: string | null): Json => ({ watermark });
  for await (const page of pages) {
    for (const row of page) {
      // Servers accept names in any letter case, but rows have the table's.
      if (!Object.hasOwn(row, column)) throw new SourceError('not_found');
      const value = String(row[column]);
      if (last !== null && value !== last) {
        if (rowLimit > 0 && total >= rowLimit) {
          yield { rows, cursor: cursor(last) };
          return;
        }
        if (rows.length >= maxRows || size >= maxBytes / 2) {
          yield { rows, cursor: cursor(last) };
          rows = [];
          size = 0;
        }
        reached = last;
      } else if (size > maxBytes) {
        yield { rows, cursor: cursor(reached), isPartial: true };
        rows = [];
        size = 0;
      }
      last = value;
      rows.push(row);
      total += 1;
      size += sizeOf(row);
    }
  }
  if (rows.length > 0) yield { rows, cursor: cursor(last) };
}
