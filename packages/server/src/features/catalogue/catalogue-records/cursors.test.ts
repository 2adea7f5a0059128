import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { decodeCursor, encodeCursor, type ListOrder, newestFirst } from './cursors.ts';

const order: ListOrder = {
  keys: [
    { column: 'ordinal', kind: 'integer', direction: 'asc' },
    { column: 'name', kind: 'text', direction: 'asc' },
    { column: 'updatedAt', kind: 'instant', direction: 'desc' },
  ],
  ids: 'asc',
};
const id = newId();

test('decodes a cursor to the values it was encoded from', () => {
  const position = { values: [3, 'Ünïcode "x" 😀', '2026-11-20T09:00:00.000Z'], id };
  assert.deepEqual(decodeCursor(order, encodeCursor(order, position)), position);
  assert.equal(encodeCursor(newestFirst, { values: [], id }), id);
  assert.deepEqual(decodeCursor(newestFirst, id), { values: [], id });
});

test('gives the same error for anything else', () => {
  const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const instant = '2026-11-20T09:00:00.000Z';
  const garbage = [
    'x',
    '',
    id,
    'ä',
    '"; drop table x',
    forge({}),
    forge([3, 'a', instant]),
    forge([3, 'a', instant, 'no-id']),
    forge(['3', 'a', instant, id]),
    forge([3.5, 'a', instant, id]),
    forge([1e300, 'a', instant, id]),
    forge([3, null, instant, id]),
    forge([3, 'a\u0000', instant, id]),
    forge([3, '\ud800', instant, id]),
    forge([3, 'a', 'infinity', id]),
    forge([3, 'a', '2026-13-20T09:00:00.000Z', id]),
    forge([3, 'a', instant, id, 1]),
  ];
  for (const cursor of garbage) {
    assert.throws(() => decodeCursor(order, cursor), { name: 'AppError', code: 'invalid_cursor' }, cursor);
  }
  for (const cursor of ['x', encodeCursor(order, { values: [1, 'a', instant], id })]) {
    assert.throws(() => decodeCursor(newestFirst, cursor), AppError);
  }
});
