import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { spool } from '../spooled-file.ts';
import { readDelimited } from './delimited-rows.ts';
import { readJsonLines, readJsonList } from './json-rows.ts';
import { readParquet } from './parquet-rows.ts';
import { asSourceError, SourceError } from './source-error.ts';

export const fileFormats = ['csv', 'tsv', 'json', 'jsonl', 'parquet'] as const;

export interface FileFormat {
  readonly format: (typeof fileFormats)[number];
  readonly isZipped: boolean;
  /** Undefined: the format's own. */
  readonly delimiter: string | undefined;
  /** Whether the first line of CSV and TSV names the columns. */
  readonly header: boolean;
  readonly encoding: string;
}

/** A Parquet file is read from its end, so all of it goes to the disk first. */
const maxOnDisk = 2 * 1024 * 1024 * 1024;

async function* parquetRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  const file = await spool(bytes, (_piece, length) => {
    if (length > maxOnDisk) throw new SourceError('parse_failed');
  });
  try {
    yield* readParquet({ byteLength: file.length, read: file.readPart });
  } finally {
    await file.close();
  }
}

function valuesOf(bytes: AsyncIterable<Uint8Array>, { format, delimiter, header, encoding }: FileFormat) {
  if (format === 'parquet') return parquetRows(bytes);
  if (format === 'json') return readJsonList(bytes, encoding);
  if (format === 'jsonl') return readJsonLines(bytes, encoding);
  return readDelimited(bytes, { delimiter: delimiter ?? (format === 'tsv' ? '\t' : ','), header, encoding });
}

/** Reads the records of a file, several at a time. Throws SourceError, `parse_failed` with the line where there are lines. */
export async function* readFileRows(
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
): AsyncGenerator<readonly unknown[]> {
  const plain = format.isZipped ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  try {
    yield* valuesOf(plain, format);
  } catch (error) {
    throw asSourceError(error, (cause) =>
      cause instanceof Error && /^(Z_|ERR_)/.test(String(Reflect.get(cause, 'code'))) ? 'parse_failed' : null,
    );
  }
}
