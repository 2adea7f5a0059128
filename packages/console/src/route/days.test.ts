import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endAfter, lastDayBefore } from './days.ts';

test('ends a range at the start of the next day, across months, years and clock changes', () => {
  for (const [day, next] of [
    ['2026-11-20', '2026-11-21'],
    ['2026-10-25', '2026-10-26'],
    ['2026-12-31', '2027-01-01'],
    ['2028-02-28', '2028-02-29'],
  ] as const) {
    assert.equal(endAfter(day), next);
    assert.equal(lastDayBefore(next), day);
  }
});

test('leaves instants and invalid days unchanged', () => {
  for (const value of ['2026-11-20T09:00:00Z', '', 'soon', '2026-13-01']) {
    assert.deepEqual([endAfter(value), lastDayBefore(value)], [value, value]);
  }
});
