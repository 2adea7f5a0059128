import type { DataType } from '@arbiter/contract';
import type { JsonValue } from '../rows/values.rules.ts';

const numeric: readonly DataType[] = ['smallint', 'integer', 'bigint', 'decimal', 'numeric', 'real', 'double'];

/** True for types of numbers; everything else is text to the figures (docs/design/api-catalogue.md 2.5). */
export const isNumeric = (dataType: DataType): boolean => numeric.includes(dataType);

/** A number of any type, given as text, in the form of rows. */
export function numberOut(
  dataType: DataType,
  raw: unknown,
  convert: (raw: unknown) => JsonValue,
): number | string | null {
  if (typeof raw !== 'string') return null;
  const isExact = dataType === 'bigint' || dataType === 'decimal' || dataType === 'numeric';
  const value = isExact ? convert(raw) : Number(raw);
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}

/** More rows than this are sampled. */
export const maxCounted = 1_000_000;
const sampleRows = 100_000;

/** Samples one row in this many. */
export const sampleEvery = (totalRows: number): number =>
  totalRows > maxCounted ? Math.round(totalRows / sampleRows) : 1;

/** Counts only tables created for schemas. */
export const isSchemaTable = (tableName: string): boolean => tableName.startsWith('ds_');
