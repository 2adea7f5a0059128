import { type CsvValue, csvText } from '../csv.ts';
import { bySortValue, type Column, type Sort } from './table-column.ts';

/** Returns the rows in the order of a sorted table; rows without a value come last in both directions. */
export function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const by = columns.find(({ key }) => key === sort?.key)?.sortBy;
  if (by === undefined) return rows;
  const direction = sort?.descending === true ? -1 : 1;
  return rows
    .map((row) => ({ row, value: by(row) }))
    .toSorted((one, other) => {
      if (one.value === null || other.value === null) return Number(one.value === null) - Number(other.value === null);
      return direction * bySortValue(one.value, other.value);
    })
    .map(({ row }) => row);
}

/** Returns rows as a CSV file: one field per column, then the `further` values that no column shows. */
export function rowsAsCsv<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  further: Readonly<Record<string, (row: Row) => CsvValue>> = {},
): string {
  const fields = columns.flatMap(({ header, unit, text }) =>
    text === null ? [] : [{ head: unit === undefined ? header : `${header}, ${unit}`, text }],
  );
  const all = [...fields, ...Object.entries(further).map(([head, text]) => ({ head, text }))];
  return csvText(
    all.map(({ head }) => head),
    rows.map((row) => all.map(({ text }) => text(row))),
  );
}
