import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import type { BasicType } from 'hyparquet-writer';

/** Columns of a file with their types, in order. */
export type ParquetColumns = Readonly<
  Record<
    string,
    Extract<
      BasicType,
      'BOOLEAN' | 'INT32' | 'INT64' | 'FLOAT' | 'STRING' | 'JSON' | 'UUID' | 'TIMESTAMP' | 'BYTE_ARRAY'
    >
  >
>;

/** A row by column: null, boolean, number, text, Date, bytes, bigint of INT64, or any JSON. */
export type ParquetRow = Readonly<Record<string, unknown>>;

/** A Parquet file that is written a group of rows at a time, in memory. */
export interface ParquetDraft {
  /** Adds rows as one group. The statistics of the column `id` find it again. */
  add(rows: readonly ParquetRow[]): void;
  /** Bytes so far. */
  readonly bytes: number;
  finish(): Uint8Array;
}

/** Starts a file. `facts`: what its footer says about it. */
export async function createParquet(
  columns: ParquetColumns,
  facts: Readonly<Record<string, string>>,
): Promise<ParquetDraft> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const names = Object.keys(columns);
  const writer = new ByteWriter();
  const schema = schemaFromColumnData({
    columnData: Object.entries(columns).map(([name, type]) => ({ name, data: [], type, nullable: name !== 'id' })),
  });
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }));
  const file = new ParquetWriter({ writer, schema, codec: 'SNAPPY', kvMetadata, createdBy: 'arbiter' });
  return {
    add(rows) {
      const columnData = names.map((name) => ({
        name,
        data: rows.map((row) => row[name]),
        statistics: name === 'id',
      }));
      file.write({ columnData, rowGroupSize: Math.max(1, rows.length) });
    },
    get bytes() {
      return writer.offset;
    },
    finish() {
      file.finish();
      return writer.getBytes();
    },
  };
}

/** Bytes that can be read in parts. */
export interface ParquetBytes {
  readonly byteLength: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A Parquet file of `createParquet`. */
export interface ParquetFile {
  readonly facts: Readonly<Record<string, string>>;
  readonly rows: number;
  readonly groups: number;
  /** Rows of a group, all columns or some. */
  group(index: number, columns?: readonly string[]): Promise<ParquetRow[]>;
  /** Index of the only group that can hold a row with this id; null for none. Groups are in the order of ids. */
  groupOf(id: string): number | null;
}

/** Opens a file and reads its footer. Throws an error that says what's wrong with its bytes. */
export async function openParquet(bytes: ParquetBytes): Promise<ParquetFile> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const file: AsyncBuffer = {
    byteLength: bytes.byteLength,
    slice: async (start, end = bytes.byteLength) => new Uint8Array(await bytes.read(start, end)).buffer,
  };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const firstRows = startsOf(metadata);
  return {
    facts: Object.fromEntries((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ''])),
    rows: Number(metadata.num_rows),
    groups: metadata.row_groups.length,
    group(index, columns) {
      const rowStart = firstRows[index] ?? 0;
      const rowEnd = rowStart + Number(metadata.row_groups[index]?.num_rows ?? 0);
      const selection = columns === undefined ? {} : { columns: [...columns] };
      return parquetReadObjects({ file, metadata, rowStart, rowEnd, utf8: false, geoparquet: false, ...selection });
    },
    groupOf(id) {
      const index = metadata.row_groups.findIndex(({ columns: [first] }) => {
        const { min_value: least, max_value: greatest } = first?.meta_data?.statistics ?? {};
        return typeof least === 'string' && typeof greatest === 'string' && least <= id && id <= greatest;
      });
      return index === -1 ? null : index;
    },
  };
}

function startsOf(metadata: FileMetaData): number[] {
  let start = 0;
  return metadata.row_groups.map(({ num_rows: rows }) => {
    const first = start;
    start += Number(rows);
    return first;
  });
}
