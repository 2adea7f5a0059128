import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../../reader.ts';

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** In the warehouse's own words. */
  readonly type: string;
}

/** Reads a value of a column, which is text in every answer. */
export type ReadValue = (text: string, column: ResultColumn) => unknown;

/** Returns the rows of a result that has a list of values for each. Throws SourceError `unexpected_response`. */
export function rowsOfValues(
  lists: unknown,
  columns: readonly ResultColumn[],
  readValue: ReadValue,
): readonly SourceRow[] {
  if (!Array.isArray(lists)) throw new SourceError('unexpected_response');
  return lists.map((values: unknown) => {
    if (!Array.isArray(values) || values.length !== columns.length) throw new SourceError('unexpected_response');
    const row: Record<string, unknown> = {};
    for (const [at, column] of columns.entries()) {
      const value: unknown = values[at];
      row[column.name] = typeof value === 'string' ? readValue(value, column) : (value ?? null);
    }
    return row;
  });
}

/** Returns a number unless a double would lose its digits. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && text.replace(/\D/g, '').length <= 15 ? number : text;
}

/** Returns the time of this many seconds since 1970, given as text with up to nine decimals. `zone`: behind it. */
export function timeOfSeconds(text: string, zone: '' | 'Z'): string {
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === '') throw new SourceError('unexpected_response');
  const fraction = decimals.replace(/0+$/, '');
  const isBefore = sign === '-' && fraction !== '';
  const seconds = Number(`${sign}${whole}`) - (isBefore ? 1 : 0);
  const rest = isBefore ? String(10 ** fraction.length - Number(fraction)).padStart(fraction.length, '0') : fraction;
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999) throw new SourceError('unexpected_response');
  return `${time.toISOString().slice(0, 19)}${rest === '' ? '' : `.${rest}`}${zone}`;
}
