import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, Compressors } from 'hyparquet';
import { SourceError } from './source-error.ts';

/** A file whose parts can be read in any order. */
export interface FileParts {
  readonly byteLength: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Bytes that a page or the rows of one step may take when they are unpacked. */
const maxPerPage = 64 * 1024 * 1024;
const maxPerStep = 32 * 1024 * 1024;

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const instant = (seconds: bigint, fraction: string): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;

/** Splits an instant in units of 1/10^digits s. */
const instantOf = (digits: number) => (value: bigint) => {
  const units = 10n ** BigInt(digits);
  const fraction = ((value % units) + units) % units;
  return instant((value - fraction) / units, fraction.toString().padStart(digits, '0').slice(0, 6));
};

/** Instants with microseconds, and days as text. */
const parsers = {
  timestampFromMilliseconds: instantOf(3),
  timestampFromMicroseconds: instantOf(6),
  timestampFromNanoseconds: instantOf(9),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
};

/** Values as JSON has them: digits of large integers, base64 of bytes. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return toBase64(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  }
  return value ?? null;
}

type Unpack = (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

const limited = (length: number): number => {
  if (length > maxPerPage) throw new SourceError('parse_failed');
  return length;
};

/** Reads the rows of a Parquet file, several at a time. Throws SourceError `parse_failed`. */
export async function* readParquet(file: FileParts): AsyncGenerator<readonly unknown[]> {
  const { parquetMetadataAsync, parquetReadObjects, snappyUncompress } = await import('hyparquet');
  const buffer: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: async (start, end = file.byteLength) => {
      const bytes = await file.read(start, end);
      return new Uint8Array(bytes).buffer;
    },
  };
  const unpacked = (unpack: Unpack) => (input: Uint8Array, length: number) =>
    new Uint8Array(unpack(input, { maxOutputLength: Math.max(1, limited(length)) }));
  const compressors: Compressors = {
    SNAPPY(input, length) {
      const output = new Uint8Array(limited(length));
      snappyUncompress(input, output);
      return output;
    },
    GZIP: unpacked(gunzipSync),
    BROTLI: unpacked(brotliDecompressSync),
    ZSTD: unpacked(zstdDecompressSync),
  };
  try {
    const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
    let first = 0;
    for (const group of metadata.row_groups) {
      const [rows, bytes] = [Number(group.num_rows), Number(group.total_byte_size)];
      const step = Math.max(1000, Math.floor((rows * maxPerStep) / Math.max(1, bytes)));
      for (let start = first; start < first + rows; start += step) {
        const rowEnd = Math.min(start + step, first + rows);
        const options = { file: buffer, metadata, compressors, parsers, useOffsetIndex: true, geoparquet: false };
        yield (await parquetReadObjects({ ...options, rowStart: start, rowEnd })).map(plain);
      }
      first += rows;
    }
  } catch (cause) {
    throw cause instanceof SourceError ? cause : new SourceError('parse_failed', { cause });
  }
}
