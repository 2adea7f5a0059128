import { asciiLetters, type CsvAnalysis, type Warning } from '@arbiter/contract';
import { fieldNameProblem, maximumFields, sanitiseSchemaName } from '../fields/names.rules.ts';
import { Misfit, valueCheck } from '../rows/values.rules.ts';

/** Derives fields from the columns of a CSV file (docs/design/api-catalogue.md 2.5, docs/design/api-settled.md 38). */

type CsvColumn = CsvAnalysis['columns'][number];
type CsvType = CsvColumn['dataType'];

/** More columns than a schema can have fields. */
export const maxColumns = maximumFields;

const longestName = 63;
/** Lengths for varchar: the first that leaves twice the room of the longest cell. */
const lengths = [50, 100, 255, 1000];
const emptyLength = 255;

/** Names for fields, one for each header: spelled in ASCII, sanitised, allowed, and different from each other. */
export function columnNames(headers: readonly string[]): string[] {
  const usedNames = new Set<string>();
  return headers.map((header, index) => {
    const base = columnName(header, index);
    let name = base;
    for (let number = 2; usedNames.has(name); number += 1) {
      const suffix = `_${number}`;
      name = base.slice(0, longestName - suffix.length) + suffix;
    }
    usedNames.add(name);
    return name;
  });
}

function columnName(header: string, index: number): string {
  const clean = sanitiseSchemaName(asciiLetters(header.trim()));
  if (!/[a-z0-9]/.test(clean)) return `col_${index + 1}`;
  const started = /^\d/.test(clean) ? `_${clean}` : /^(__|pg_)/.test(clean) ? `col_${clean}` : clean;
  const name = started.slice(0, longestName);
  return fieldNameProblem(name) === null ? name : `${name.slice(0, longestName - 4)}_col`;
}

/** Digits with a leading zero are text: a postcode, an account number. */
const wholeNumber = /^-?(0|[1-9]\d*)$/;
const decimalNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/;

const fits = (dataType: CsvType) => {
  const check = valueCheck({ dataType, length: null, precision: null, scale: null });
  return (cell: string): boolean => !(check(cell) instanceof Misfit);
};
const fitsIn = (dataType: CsvType, form: RegExp) => {
  const fitting = fits(dataType);
  return (cell: string): boolean => form.test(cell) && fitting(cell);
};

/** The types that are tried, the narrowest first. */
const narrow: readonly { readonly dataType: CsvType; readonly takes: (cell: string) => boolean }[] = [
  { dataType: 'integer', takes: fitsIn('integer', wholeNumber) },
  { dataType: 'bigint', takes: fitsIn('bigint', wholeNumber) },
  { dataType: 'decimal', takes: fitsIn('decimal', decimalNumber) },
  { dataType: 'boolean', takes: (cell) => /^(true|false)$/i.test(cell) },
  { dataType: 'date', takes: fits('date') },
  { dataType: 'timestamptz', takes: fits('timestamptz') },
  { dataType: 'uuid', takes: fits('uuid') },
];

function columnType(cells: readonly string[]): Pick<CsvColumn, 'dataType' | 'length'> {
  if (cells.length === 0) return { dataType: 'varchar', length: emptyLength };
  const found = narrow.find(({ takes }) => cells.every(takes));
  if (found !== undefined) return { dataType: found.dataType };
  const longest = Math.max(...cells.map((cell) => [...cell].length));
  const length = lengths.find((room) => room >= 2 * longest);
  return length === undefined ? { dataType: 'text' } : { dataType: 'varchar', length };
}

/** Returns true for a column whose name suggests that it identifies rows. */
const namesKey = (name: string): boolean => name === 'id' || name.endsWith('_id');

/** Says that a column has another name than its header. */
export const renamedColumn = (path: string, header: string, column: string): Warning => ({
  path,
  code: 'column_renamed',
  message: `The header "${header.trim()}" becomes the column ${column}.`,
  suggestion: null,
});

/** The columns that are named otherwise than their headers, letter case aside. */
export function renamedColumns(header: readonly string[], columns: readonly Pick<CsvColumn, 'name'>[]): Warning[] {
  return header.flatMap((cell, at) => {
    const name = columns[at]?.name ?? '';
    return cell.trim().toLowerCase() === name ? [] : [renamedColumn(`/columns/${at}`, cell, name)];
  });
}

/** Returns columns as field definitions, ready for a new schema. */
export function csvColumns(header: readonly string[], rows: readonly (readonly string[])[]): CsvColumn[] {
  const names = columnNames(header);
  const cellsOf = (at: number): string[] => rows.map((row) => row[at] ?? '');
  const types = names.map((_, at) => columnType(cellsOf(at).filter((cell) => cell !== '')));
  const key = names.findIndex((name, at) => {
    const cells = cellsOf(at);
    const isFull = cells.length > 0 && !cells.includes('');
    return namesKey(name) && isFull && new Set(cells).size === cells.length && types[at]?.dataType !== 'boolean';
  });
  return names.map((name, at) => ({
    name: at === key ? name : nonKeyName(name, names),
    ...(types[at] ?? { dataType: 'text' }),
    isNullable: at !== key,
    isPrimaryKey: at === key,
    isUnique: at === key,
    defaultValue: null,
  }));
}

/** The name of a column that isn't the key: `id` names the counting column. */
export const nonKeyName = (name: string, names: readonly string[]): string =>
  name === 'id' ? freeName('id_col', names) : name;

function freeName(wanted: string, usedNames: readonly string[]): string {
  let name = wanted;
  for (let number = 2; usedNames.includes(name); number += 1) name = `${wanted}_${number}`;
  return name;
}
