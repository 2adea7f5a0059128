import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from './app-error.ts';
import { dayOrInstant } from './day-or-instant.ts';

const at = (text: string, end: 'start' | 'end', zone = 'Europe/Berlin') =>
  dayOrInstant('query.from', text, zone, end).toISOString();

test('an instant stands for itself at both ends', () => {
  assert.equal(at('2026-11-20T09:00:00+01:00', 'start'), '2026-11-20T08:00:00.000Z');
  assert.equal(at('2026-11-20T09:00:00Z', 'end'), '2026-11-20T09:00:00.000Z');
});

test("a day is a day of the tenant's zone, 23 to 25 hours long", () => {
  assert.equal(at('2026-11-20', 'start'), '2026-11-19T23:00:00.000Z');
  assert.equal(at('2026-11-20', 'end'), '2026-11-20T23:00:00.000Z');
  assert.equal(at('2026-10-25', 'start'), '2026-10-24T22:00:00.000Z');
  assert.equal(at('2026-10-25', 'end'), '2026-10-25T23:00:00.000Z');
});

test('anything else is 400 and names the parameter', () => {
  for (const text of ['2026-11-20T09:00:00', '2026-02-30', 'yesterday', '1700000000']) {
    assert.throws(
      () => at(text, 'start'),
      (error) => error instanceof AppError && error.status === 400 && error.errors[0]?.path === 'query.from',
      text,
    );
  }
});
