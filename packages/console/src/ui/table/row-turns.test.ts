import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrawnRow, isComplete, nextDrawn } from './row-turns.ts';

const rows = (from: number, to: number): readonly DrawnRow[] =>
  Array.from({ length: to - from }, (_, at) => ({ index: from + at, start: (from + at) * 32 }));
const indexes = (drawn: ReadonlyMap<number, DrawnRow>) => [...drawn.values()].map(({ index }) => index);
const slots = 10;

test('draws a jump over several turns, and never fewer elements than before', () => {
  let drawn = nextDrawn(new Map(), rows(0, 9), slots, Infinity);
  assert.deepEqual(indexes(drawn), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  drawn = nextDrawn(drawn, rows(100, 109), slots, 4);
  assert.deepEqual(indexes(drawn), [100, 101, 102, 103, 4, 5, 6, 7, 8]);
  assert.equal(isComplete(drawn, rows(100, 109), slots), false);
  drawn = nextDrawn(nextDrawn(drawn, rows(100, 109), slots, 4), rows(100, 109), slots, 4);
  assert.deepEqual(indexes(drawn), [100, 101, 102, 103, 104, 105, 106, 107, 108]);
  assert.equal(isComplete(drawn, rows(100, 109), slots), true);
});

test('draws a short scroll at once and moves rows whose position changed', () => {
  const drawn = nextDrawn(new Map(), rows(0, 9), slots, Infinity);
  assert.deepEqual(indexes(nextDrawn(drawn, rows(2, 11), slots, 4)), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const moved = rows(0, 9).map((row) => ({ ...row, start: row.start + 8 }));
  assert.deepEqual([...nextDrawn(drawn, moved, slots, 0).values()], moved);
});

test('drops the elements of a shorter list', () => {
  const drawn = nextDrawn(new Map(), rows(0, 9), slots, Infinity);
  assert.deepEqual(indexes(nextDrawn(drawn, rows(0, 2), slots, 4)), [0, 1]);
});
