import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distribution, mean, percent, topSegments } from './figures.rules.ts';

test('shares have two decimals, and 0 of 0 is 0', () => {
  assert.deepEqual([percent(1, 3), percent(2, 3), percent(0, 0), percent(3, 3)], [33.33, 66.67, 0, 100]);
  assert.deepEqual([mean(5, 3), mean(0, 0), mean(7, 2)], [1.67, 0, 3.5]);
});

test('quantiles are interpolated', () => {
  assert.equal(distribution([]), null);
  assert.deepEqual(distribution([10, 1, 4, 2]), { min: 1, max: 10, avg: 4.25, median: 3, p25: 1.75, p75: 5.5 });
  assert.deepEqual(distribution([7]), { min: 7, max: 7, avg: 7, median: 7, p25: 7, p75: 7 });
});

test('lists the five largest segments, then by name, without empty ones', () => {
  const of = (name: string, ...members: string[]) => ({ name, members: new Set(members) });
  const segments = [of('c', 'a', 'x'), of('a', 'b', 'y'), of('none', 'x'), of('most', 'a', 'b')];
  assert.deepEqual(topSegments([...segments, of('d', 'a'), of('e', 'a'), of('f', 'a')], new Set(['a', 'b'])), [
    { segment: 'most', affected: 2, total: 2 },
    { segment: 'a', affected: 1, total: 2 },
    { segment: 'c', affected: 1, total: 2 },
    { segment: 'd', affected: 1, total: 1 },
    { segment: 'e', affected: 1, total: 1 },
  ]);
});
