import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableLines } from './table.ts';

test('makes columns as wide as their widest cell, counting characters', () => {
  assert.deepEqual(
    tableLines(
      ['rank', 'offer'],
      [
        ['1', 'Café au lait'],
        ['10', '☕'],
      ],
    ),
    ['rank  offer', '1     Café au lait', '10    ☕'],
  );
});
