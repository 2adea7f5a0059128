import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addTally, hasTally, openTally, raiseTally, tallyOf, tallyReaches } from './tally.ts';

test('sums are those of a map, and every decision begins with none', () => {
  const entry = fc.record({
    row: fc.integer({ min: 3, max: 40 }),
    bucket: fc.integer({ min: -2, max: 200 }),
    count: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 600 }), { maxLength: 4 }), (decisions) => {
      for (const entries of decisions) {
        openTally();
        const sums = new Map<string, number>();
        for (const { row, bucket, count } of entries) {
          const key = `${row} ${bucket}`;
          assert.equal(hasTally(row, bucket), sums.has(key));
          const sum = (sums.get(key) ?? 0) + count;
          sums.set(key, sum);
          assert.equal(addTally(row, bucket, count, 5), sum >= 5);
        }
        for (const { row, bucket } of entries) {
          const sum = sums.get(`${row} ${bucket}`) ?? Number.NaN;
          assert.equal(tallyOf(row, bucket), sum);
          assert.equal(tallyReaches(row, bucket, sum), true);
          assert.equal(tallyReaches(row, bucket, sum + 1), false);
        }
        assert.equal(tallyOf(99, 0), 0);
        assert.equal(tallyReaches(99, 0, 0), true);
      }
    }),
  );
});

test('a largest number stays the largest', () => {
  openTally();
  const numbers = Float64Array.of(5, -1, 7, Number.NEGATIVE_INFINITY);
  for (const position of numbers.keys()) raiseTally(1, 1, numbers, position);
  assert.equal(tallyOf(1, 1), 7);
  raiseTally(1, 2, numbers, 3);
  assert.equal(hasTally(1, 2), true);
  assert.equal(tallyOf(1, 2), Number.NEGATIVE_INFINITY);
});
