import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from './table-column.ts';
import { rowsAsCsv, sortedRows } from './table-csv.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly rate: number | null;
}
const columns: readonly Column<Row>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, text: ({ name }) => name, sortBy: ({ name }) => name },
  {
    key: 'rate',
    header: 'Rate',
    unit: '%',
    cell: ({ rate }) => `${rate} percent`,
    text: ({ rate }) => rate,
    sortBy: ({ rate }) => rate,
  },
  { key: 'open', header: 'Open', cell: () => 'Open', text: null },
];
const rows: readonly Row[] = [
  { id: '1', name: 'Offer 10', rate: 0.5 },
  { id: '2', name: '=Offer 9', rate: null },
  { id: '3', name: 'Offer 9', rate: 12 },
];
const ids = (shown: readonly Row[]) => shown.map(({ id }) => id).join('');

test('writes the columns and the further values to a file, without buttons and links', () => {
  assert.equal(
    rowsAsCsv(rows, columns, { id: ({ id }) => id }),
    '\ufeffName,"Rate, %",id\r\nOffer 10,0.5,1\r\n\'=Offer 9,,2\r\nOffer 9,12,3\r\n',
  );
});

test('writes the heads of a file without rows', () => {
  assert.equal(rowsAsCsv([], columns), '\ufeffName,"Rate, %"\r\n');
});

test('sorts rows like the table: numbers by size, texts in natural order', () => {
  assert.equal(ids(sortedRows(rows, columns, { key: 'name', descending: false })), '231');
  assert.equal(ids(sortedRows(rows, columns, { key: 'name', descending: true })), '132');
  assert.equal(ids(sortedRows(rows, columns, { key: 'rate', descending: false })), '132');
});

test('puts rows without a value last in both directions', () => {
  assert.equal(ids(sortedRows(rows, columns, { key: 'rate', descending: true })), '312');
});

test('keeps the order without a sortable column', () => {
  for (const key of ['open', 'gone']) assert.equal(ids(sortedRows(rows, columns, { key, descending: true })), '123');
  assert.equal(ids(sortedRows(rows, columns, null)), '123');
});
