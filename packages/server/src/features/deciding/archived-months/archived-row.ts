import type { Tx } from '../../../db/index.ts';
import type { ParquetColumns, ParquetRow } from '../../../platform/archive/parquet-file.ts';

/** A table that is archived in its own files. */
export interface ArchiveKind {
  readonly name: 'decisions' | 'interactions' | 'impressions';
  /** Class whose retention and legal hold apply. */
  readonly dataClass: 'decisions' | 'interactions';
  readonly table: 'decisions' | 'interactions' | 'decision_impressions';
  /** Files keep `customer_ref`. They replace `customer_id` with another name. */
  readonly customerColumn: 'customer_ref' | 'customer_id';
  /** Columns that files show, with their types there. All others are sealed. */
  readonly columns: ParquetColumns;
  /** Deletes rows that a file has. `zone`: defines the days. */
  remove(tx: Tx, ids: readonly string[], zone: string): Promise<void>;
  /** Undoes what `remove` added elsewhere, for rows that are in the table again. */
  undo(tx: Tx, ids: readonly string[], zone: string): Promise<void>;
}

/** A row as its file has it. Names nobody: what could identify a customer is sealed with a key that erasure deletes. */
export interface ArchivedRow {
  readonly id: string;
  /** The customer's name inside files. */
  readonly customerRef: string;
  /** Columns as `to_jsonb` shows them. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** A JSON object of the other columns, encrypted; null when the customer had been erased before. */
  readonly sealed: Buffer | null;
}

/** What a sealed part belongs to. */
export const archiveContext = (tenantId: string, id: string): string => `${tenantId}:${id}:archive`;

/** Columns of a kind's files. */
export const fileColumns = ({ columns }: Pick<ArchiveKind, 'columns'>): ParquetColumns => ({
  id: 'UUID',
  customer_ref: 'UUID',
  ...columns,
  sealed: 'BYTE_ARRAY',
});

/** The row as Parquet takes it. */
export function toParquet({ columns }: Pick<ArchiveKind, 'columns'>, row: ArchivedRow): ParquetRow {
  const values = Object.entries(columns).map(([name, type]) => [name, written(type, row.plain[name])]);
  return { id: row.id, customer_ref: row.customerRef, ...Object.fromEntries(values), sealed: row.sealed };
}

function written(type: ParquetColumns[string], value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'TIMESTAMP') return new Date(String(value));
  if (type === 'FLOAT') return Math.fround(Number(value));
  if (type === 'INT64') return BigInt(Number(value));
  if (type === 'BYTE_ARRAY') return Buffer.from(String(value).slice(2), 'hex');
  return value;
}

/** The row that Parquet gave. Throws for one that isn't archived history. */
export function fromParquet(row: ParquetRow): ArchivedRow {
  const { id, customer_ref: customerRef, sealed, ...rest } = row;
  if (typeof id !== 'string' || typeof customerRef !== 'string') throw new Error('a row has no ID or no customer');
  return {
    id,
    customerRef,
    plain: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, jsonValue(value)])),
    sealed: sealed instanceof Uint8Array ? Buffer.from(sealed) : null,
  };
}

function jsonValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value ?? null;
}

/** The row as one text, the same when it's written and when it's read. */
export function rowText(row: ParquetRow): string {
  const { id, customerRef, plain, sealed } = fromParquet(row);
  return JSON.stringify([id, customerRef, plain, sealed?.toString('base64') ?? null]);
}

/** A column of Parquet that holds a JSON list of texts or numbers. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
