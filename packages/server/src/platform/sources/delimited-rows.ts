import { Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { decodedText } from './decoded-text.ts';
import { SourceError } from './source-error.ts';
import { together } from './together.ts';

export interface DelimitedFormat {
  readonly delimiter: string;
  /** False: columns are col1 to coln. */
  readonly header: boolean;
  readonly encoding: string;
}

/** Records that the parser prepares before someone takes them. */
const recordsAhead = 500;

/** Bytes of one record at most. */
const maxRecordBytes = 8 * 1024 * 1024;

/**
 * Reads delimited text, several rows at a time: a BOM is dropped, empty cells are null, missing cells too (docs/design/api-catalogue.md 20).
 * Throws SourceError `parse_failed` with the line for surplus cells, repeated columns, quotes out of place and bytes
 * that aren't in the encoding.
 */
export async function* readDelimited(
  bytes: AsyncIterable<Uint8Array>,
  { delimiter, header, encoding }: DelimitedFormat,
): AsyncGenerator<readonly Record<string, string | null>[]> {
  const parser = parse({
    ...{ delimiter, bom: true, relax_column_count_less: true, skip_empty_lines: true },
    ...{ max_record_size: maxRecordBytes, readableHighWaterMark: recordsAhead },
  });
  const source = Readable.from(decodedText(bytes, encoding), { objectMode: true });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let columns: readonly string[] | null = null;
  function* rowsOf(records: readonly (readonly string[])[]): Generator<Record<string, string | null>> {
    for (const record of records) {
      if (columns === null) {
        columns = header ? record : record.map((_cell, at) => `col${at + 1}`);
        if (new Set(columns).size < columns.length || columns.includes('__proto__')) {
          throw new SourceError('parse_failed', { line: 1 });
        }
        if (header) continue;
      }
      yield rowOf(columns, record);
    }
  }
  try {
    for await (const records of recordsOf(parser)) yield* together(rowsOf(records));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line: unknown = Reflect.get(error, 'lines');
    throw new SourceError('parse_failed', { ...(typeof line === 'number' ? { line } : {}), cause: error });
  } finally {
    source.destroy();
  }
}

/** Takes what the parser has, many records at a time: one at a time costs more than to parse it. */
async function* recordsOf(parser: Parser): AsyncGenerator<readonly (readonly string[])[]> {
  for await (const first of parser as AsyncIterable<readonly string[]>) {
    const records = [first];
    for (let next = parser.read(); next !== null; next = parser.read()) records.push(next as readonly string[]);
    yield records;
  }
}

function rowOf(columns: readonly string[], record: readonly string[]): Record<string, string | null> {
  const row: Record<string, string | null> = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = record[at] || null;
  return row;
}
