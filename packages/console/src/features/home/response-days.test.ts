import assert from 'node:assert/strict';
import { test } from 'node:test';
import { responseDays } from './response-days.ts';

test('computes totals and the best day from the rows of daily_trend', () => {
  const rows = [
    { day: '2026-11-20', impressions: 90, conversions: 1 },
    { day: '2026-11-21', impressions: 40, conversions: 3 },
    { day: '2026-11-22', impressions: 0, conversions: null },
  ];
  const { byDay, impressions, conversions, best } = responseDays(rows);
  assert.deepEqual([impressions, conversions, best?.day], [130, 4, '2026-11-21']);
  assert.deepEqual(byDay.at(-1), { day: '2026-11-22', impressions: 0, conversions: 0 });
  assert.equal(responseDays([{ day: '2026-11-22', impressions: 0, conversions: 0 }]).best, null);
});
