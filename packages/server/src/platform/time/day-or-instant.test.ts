import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../app-error.ts';
import { dayOrInstant } from './day-or-instant.ts';

const at = (text: string, zone = 'Europe/Berlin') => dayOrInstant('query.from', text, zone).toISOString();

test('an instant is returned unchanged', () => {
  assert.equal(at('2026-11-20T09:00:00+01:00'), '2026-11-20T08:00:00.000Z');
});

test("a date is its first instant in the tenant's zone, even where midnight doesn't exist", () => {
  assert.equal(at('2026-11-20'), '2026-11-19T23:00:00.000Z');
  assert.equal(at('2026-10-25'), '2026-10-24T22:00:00.000Z');
  assert.equal(at('2026-10-26'), '2026-10-25T23:00:00.000Z');
  assert.equal(at('2026-09-06', 'America/Santiago'), '2026-09-06T04:00:00.000Z');
});

test('anything else is 400, and names the parameter', () => {
  for (const text of ['2026-11-20T09:00:00', '2026-02-30', 'yesterday', '1700000000']) {
    assert.throws(
      () => at(text),
      (error) => error instanceof AppError && error.status === 400 && error.errors[0]?.path === 'query.from',
      text,
    );
  }
});
