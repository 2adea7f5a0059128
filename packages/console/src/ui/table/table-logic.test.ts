import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPlace, toggled, withRange } from './table-keys.ts';
import { layOutCard, placeColumns, visibleColumns } from './table-layout.ts';

const size = { rows: 100, columns: 4, page: 10 };
const press = (key: string, from = { row: 5, column: 1 }, mod = false) => nextPlace(from, { key, mod }, size);

test('moves by the keys of a grid', () => {
  assert.deepEqual(press('ArrowDown'), { row: 6, column: 1 });
  assert.deepEqual(press('j'), { row: 6, column: 1 });
  assert.deepEqual(press('k'), { row: 4, column: 1 });
  assert.deepEqual(press('ArrowRight'), { row: 5, column: 2 });
  assert.deepEqual(press('Home'), { row: 5, column: 0 });
  assert.deepEqual(press('End'), { row: 5, column: 3 });
  assert.deepEqual(press('End', { row: 5, column: 1 }, true), { row: 99, column: 3 });
  assert.deepEqual(press('PageDown'), { row: 15, column: 1 });
  assert.equal(press('j', { row: 5, column: 1 }, true), null);
  assert.equal(press('q'), null);
});

test('stops at the head, the last row and the outer columns', () => {
  assert.deepEqual(press('ArrowUp', { row: 0, column: 0 }), { row: -1, column: 0 });
  assert.deepEqual(press('ArrowUp', { row: -1, column: 0 }), { row: -1, column: 0 });
  assert.deepEqual(press('ArrowDown', { row: 99, column: 0 }), { row: 99, column: 0 });
  assert.deepEqual(press('ArrowLeft', { row: 5, column: 0 }), { row: 5, column: 0 });
  assert.deepEqual(press('PageUp', { row: 5, column: 0 }), { row: 0, column: 0 });
});

test('selects a range with both ends, in either direction, in addition to the selection', () => {
  const keys = ['a', 'b', 'c', 'd'];
  assert.deepEqual([...withRange(new Set(['d']), keys, 0, 1)].sort(), ['a', 'b', 'd']);
  assert.deepEqual([...withRange(new Set(), keys, 2, 1)], ['b', 'c']);
  assert.deepEqual([...withRange(new Set(), keys, 1, -1)], ['a', 'b']);
  assert.deepEqual([...toggled(new Set(['a']), 'a')], []);
  assert.deepEqual([...toggled(new Set(['a']), 'b')], ['a', 'b']);
});

test('fills the width to the pixel, and scrolls if the columns need more', () => {
  const columns = [
    { width: 200, grow: 2 },
    { width: 100, grow: 1 },
    { width: 80, grow: 0 },
  ];
  const wide = placeColumns(columns, 481);
  assert.equal(wide.at(-1)!.left + wide.at(-1)!.width, 481);
  assert.deepEqual(
    wide.map(({ width }) => width),
    [267, 134, 80],
  );
  assert.deepEqual(
    placeColumns(columns, 100).map(({ left }) => left),
    [0, 200, 300],
  );
});

test('shrinks growing columns if everything fits then', () => {
  const columns = [
    { width: 200, grow: 2 },
    { width: 100, grow: 1 },
    { width: 80, grow: 0 },
    { width: 100, grow: 3 },
  ];
  const widths = (available: number) => placeColumns(columns, available).map(({ width }) => width);
  assert.deepEqual(widths(480), [200, 100, 80, 100]);
  assert.deepEqual(widths(460), [200, 90, 80, 90]);
  assert.deepEqual(widths(430), [200, 75, 80, 75]);
  assert.deepEqual(widths(429), [200, 100, 80, 100]);
});

test('draws the columns near the window and the first one', () => {
  const placed = placeColumns(
    Array.from({ length: 200 }, () => ({ width: 100, grow: 0 })),
    1_000,
  );
  const visible = visibleColumns(placed, 10_000, 1_000);
  assert.equal(visible[0], 0);
  assert.equal(visible[1], 94);
  assert.equal(visible.at(-1), 115);
});

test('lays out a card: name and status, short values in pairs, long ones alone', () => {
  const card = layOutCard([
    { width: 220, grow: 1 },
    { width: 110, grow: 0, corner: true },
    { width: 151, grow: 1 },
    { width: 150, grow: 0 },
    { width: 300, grow: 1 },
    { width: 80, grow: 0 },
    { width: 80, grow: 0 },
    { width: 80, grow: 2 },
  ]);
  assert.deepEqual(
    card.cells.map(({ line, part }) => `${line} ${part}`),
    ['0 start', '0 end', '1 whole', '2 start', '3 whole', '2 end', '4 start', '5 whole'],
    'the short value after the long one fills the half that was free above it',
  );
  assert.equal(card.lines, 6);
  assert.equal(layOutCard([{ width: 200, grow: 1 }]).lines, 1);
  assert.equal(
    layOutCard([
      { width: 200, grow: 1 },
      { width: 210, grow: 1, half: true },
      { width: 80, grow: 0 },
    ]).lines,
    2,
  );
});
