import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addTally, createTally, hasTally, openTally, raiseTally, tallyOf, tallyReaches } from './tally.ts';

test('sums match those of a map, and every decision starts at zero', () => {
  const entry = fc.record({
    row: fc.integer({ min: 3, max: 40 }),
    bucket: fc.integer({ min: -2, max: 200 }),
    count: fc.integer({ min: 0, max: 9 }),
  });
  const tally = createTally();
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 600 }), { maxLength: 4 }), (decisions) => {
      for (const entries of decisions) {
        openTally(tally);
        const sums = new Map<string, number>();
        for (const { row, bucket, count } of entries) {
          const key = `${row} ${bucket}`;
          assert.equal(hasTally(tally, row, bucket), sums.has(key));
          const sum = (sums.get(key) ?? 0) + count;
          sums.set(key, sum);
          assert.equal(addTally(tally, row, bucket, count, 5), sum >= 5);
        }
        for (const { row, bucket } of entries) {
          const sum = sums.get(`${row} ${bucket}`) ?? Number.NaN;
          assert.equal(tallyOf(tally, row, bucket), sum);
          assert.equal(tallyReaches(tally, row, bucket, sum), true);
          assert.equal(tallyReaches(tally, row, bucket, sum + 1), false);
        }
        assert.equal(tallyOf(tally, 99, 0), 0);
        assert.equal(tallyReaches(tally, 99, 0, 0), true);
      }
    }),
  );
});

test('keeps the largest number', () => {
  const tally = createTally();
  openTally(tally);
  const numbers = Float64Array.of(5, -1, 7, Number.NEGATIVE_INFINITY);
  for (const position of numbers.keys()) raiseTally(tally, 1, 1, numbers, position);
  assert.equal(tallyOf(tally, 1, 1), 7);
  raiseTally(tally, 1, 2, numbers, 3);
  assert.equal(hasTally(tally, 1, 2), true);
  assert.equal(tallyOf(tally, 1, 2), Number.NEGATIVE_INFINITY);
});
