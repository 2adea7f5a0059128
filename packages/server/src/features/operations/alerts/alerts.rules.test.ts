import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertText, breaches, severityOf, share, usable } from './alerts.rules.ts';

/** docs/design/api-access.md 10, "Severity" and the table of metrics. */

test('tests operators on both sides of the threshold, and on it', () => {
  const told = (operator: Parameters<typeof breaches>[1]) => [4, 5, 6].map((value) => breaches(value, operator, 5));
  assert.deepEqual(told('gt'), [false, false, true]);
  assert.deepEqual(told('gte'), [false, true, true]);
  assert.deepEqual(told('lt'), [true, false, false]);
  assert.deepEqual(told('lte'), [true, true, false]);
  assert.deepEqual(told('eq'), [false, true, false]);
});

for (const [words, value, baseline, operator, threshold, expected] of [
  ['half of the threshold beyond it', 15, null, 'gt', 10, 'critical'],
  ['a little less', 14.99, null, 'gt', 10, 'warning'],
  ['half below it', 5, null, 'lt', 10, 'critical'],
  ['of a threshold below zero', -15, null, 'lt', -10, 'critical'],
  ['threshold 0: half of 1', 0.5, null, 'gt', 0, 'critical'],
  ['threshold 0, less than half of 1', 0.49, null, 'gt', 0, 'warning'],
  ['twice as far as the window before', 12, 11, 'gt', 10, 'critical'],
  ['less than twice as far', 12, 11.1, 'gt', 10, 'warning'],
  ['eq is never more than info', 10, 1, 'eq', 10, 'info'],
] as const) {
  test(`severity: ${words}`, () => assert.equal(severityOf(value, baseline, operator, threshold), expected));
}

test("a share requires a denominator, and the rule's minimum of samples", () => {
  assert.deepEqual(share(1, 4), { value: 0.25, samples: 4 });
  assert.equal(usable(share(0, 0), 0), null);
  assert.equal(usable(share(1, 4), 4), 0.25);
  assert.equal(usable(share(1, 4), 5), null);
  assert.equal(usable({ value: 0, samples: null }, 100), 0, 'what has no denominator always has a value');
});

test('describes what happened in words', () => {
  const rule = { metric: 'ctr', operator: 'lt', threshold: 0.05, windowMinutes: 60 } as const;
  assert.equal(alertText(rule, 1 / 3), 'ctr is 0.333333 over 60 minutes: below 0.05.');
  assert.equal(alertText({ ...rule, metric: 'dlq_depth', operator: 'gte' }, 12), 'dlq_depth is 12: at or above 0.05.');
});
