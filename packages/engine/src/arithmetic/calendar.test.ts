import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { civilFromDays, daysFromCivil, isIsoDate, offsetAt, parseInstant } from './calendar.ts';

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const instants = fc.integer({ min: FIRST, max: LAST });

test('agrees with the platform on dates, in both directions', () => {
  fc.assert(
    fc.property(instants, (at) => {
      const days = Math.floor(at / 86_400_000);
      const date = new Date(at);
      const civil = civilFromDays(days);
      assert.deepEqual(civil, { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
      assert.equal(daysFromCivil(civil.year, civil.month, civil.day), days);
    }),
    randomCases(10_000),
  );
});

test('reads ISO instants as the platform does', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -23 * 60, max: 23 * 60 }), (at, offsetMinutes) => {
      const text = new Date(at).toISOString();
      assert.equal(parseInstant(text), at);
      assert.equal(parseInstant(text.slice(0, 23)), at);
      const size = Math.abs(offsetMinutes);
      const offset = `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
      assert.equal(parseInstant(text.slice(0, 23) + offset), at - offsetMinutes * 60_000);
      assert.equal(parseInstant(text.slice(0, 23) + offset.replace(':', '')), at - offsetMinutes * 60_000);
    }),
  );
});

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

test('reads dates, minutes and long fractions', () => {
  assert.equal(parseInstant('1970-01-02'), 86_400_000);
  assert.equal(parseInstant('1970-01-01T00:01Z'), 60_000);
  assert.equal(parseInstant('1970-01-01T00:00:00.1Z'), 100);
  assert.equal(parseInstant('1970-01-01T00:00:00.123456789+00'), 123);
  assert.equal(isIsoDate('2024-02-29'), true);
  assert.equal(isIsoDate('2024-02-29T00:00:00Z'), false);
});

test('rejects invalid instants, without throwing', () => {
  const wrong =
    '|2024|2024-13-01|2023-02-29|1900-02-29|0000-01-01|2024-1-1|2024-01-01 |2024-01-01T|2024-01-01T24:00:00Z|2024-01-01T00:60Z|2024-01-01 00:00:00Z|2024-01-01T00:00:61Z|2024-01-01T00:00:00.Z|2024-01-01T00:00:00+1|2024-01-01T00:00:00ZZ|+2024-01-01|2024-01-01T00:00:00+24:00';
  for (const text of wrong.split('|')) assert.equal(parseInstant(text), null, text);
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseInstant(text);
      parseInstant(`2024-01-01T${text}`);
    }),
  );
});

test('finds the offset in force', () => {
  const offsets = [
    [100, 1],
    [200, 2],
  ] as const;
  assert.deepEqual(
    [0, 100, 199, 200, 999].map((at) => offsetAt(offsets, at)),
    [1, 1, 1, 2, 2],
  );
  assert.equal(offsetAt([], 5), 0);
});
