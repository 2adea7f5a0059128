import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsOf, tightest, usedShare } from './limits.ts';

test('lists the limits that are set, with their usage', () => {
  assert.deepEqual(limitsOf({ budget: { costPerClickCents: 5 }, inventory: {} }, '2026-03-10'), []);
  const limits = limitsOf(
    {
      budget: {
        dailyCapCents: 1_000,
        currentDailySpentCents: 250,
        lifetimeMaxImpressions: 100,
        currentLifetimeImpressions: 90,
        lastDailyResetDate: '2026-03-10',
      },
      inventory: { totalStock: 10, remainingStock: 4 },
    },
    '2026-03-10',
  );
  assert.deepEqual(
    limits.map(({ key, used, most }) => [key, used, most]),
    [
      ['dayCost', 250, 1_000],
      ['lifeShown', 90, 100],
      ['stock', 6, 10],
    ],
  );
  assert.equal(tightest(limits)?.key, 'lifeShown');
});

test('ignores counters of another day', () => {
  const budget = { dailyMaxImpressions: 10, currentDailyImpressions: 10, lastDailyResetDate: '2026-03-09' };
  assert.equal(limitsOf({ budget, inventory: {} }, '2026-03-10')[0]?.used, 0);
  assert.equal(limitsOf({ budget, inventory: {} }, '2026-03-09')[0]?.used, 10);
});

test('treats a limit of zero as used up, and prefers the smaller of two names of a limit', () => {
  const [limit] = limitsOf({ budget: { dailyMaxImpressions: 7, maxPerDay: 0 }, inventory: {} }, '2026-03-10');
  assert.ok(limit);
  assert.equal(limit.most, 0);
  assert.equal(usedShare(limit), 1);
  assert.equal(tightest([]), null);
});
