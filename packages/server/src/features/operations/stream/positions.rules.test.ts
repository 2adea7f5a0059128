import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginning, placeText, readPlace } from './positions.rules.ts';

test('reads a position as written', () => {
  for (const place of [
    beginning,
    { row: 17, event: null },
    { row: 17, event: 0 },
    { row: 999_999_999_999_999, event: 63 },
  ]) {
    assert.deepEqual(readPlace(placeText(place)), place);
  }
  for (const text of [
    '',
    'x',
    '-1',
    '01',
    '1-',
    '-',
    '1-01',
    '1--1',
    '1.5',
    ' 1',
    '1 ',
    '1e3',
    '0-0',
    '1000000000000000',
    '1-1-1',
    '١',
  ]) {
    assert.equal(readPlace(text), null, text);
  }
});
