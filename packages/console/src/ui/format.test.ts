import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFor, middleCut } from './format.ts';

const format = formatFor({ locale: 'en-GB', timeZone: 'Europe/Berlin', currency: 'EUR' });
const noon = Date.UTC(2026, 10, 22, 12, 0, 0);

test('formats numbers for the tenant', () => {
  assert.equal(format.number(1204.5678), '1,204.568');
  assert.equal(format.fixed(0.2, 3), '0.200');
  assert.equal(format.percent(0.1236), '12.4%');
  assert.equal(format.money(4.2), '€4.20');
  const german = formatFor({ locale: 'de-DE', timeZone: 'Europe/Berlin', currency: 'EUR' });
  assert.equal(german.number(1204.5), '1.204,5');
});

test("formats instants in the tenant's time zone, across both clock changes", () => {
  assert.equal(format.instant('2026-07-01T10:00:00Z'), '1 Jul 2026, 12:00:00');
  assert.equal(format.instant('2026-12-01T10:00:00Z'), '1 Dec 2026, 11:00:00');
});

test('switches ages to the next unit at its boundary', () => {
  assert.equal(format.ago(noon - 59_000, noon), '59 sec ago');
  assert.equal(format.ago(noon - 60_000, noon), '1 min ago');
  assert.equal(format.ago(noon + 2 * 3_600_000, noon), 'in 2 hr');
  assert.equal(format.ago(noon, noon), 'now');
  const german = formatFor({ locale: 'de-DE', timeZone: 'Europe/Berlin', currency: 'EUR' });
  assert.equal(german.ago(noon - 60_000, noon), '1 min ago', 'the words around it are English');
});

test('formats durations with the decimals they need', () => {
  assert.equal(format.duration(3.14), '3.1 ms');
  assert.equal(format.duration(999), '999 ms');
  assert.equal(format.duration(1_000), '1 sec');
  assert.equal(format.duration(90_000), '2 mins');
});

test('shortens an ID only if it becomes shorter', () => {
  assert.equal(middleCut('0199a3f2b4c5d6'), '0199a3f2…c5d6');
  assert.equal(middleCut('CM-0000000001'), 'CM-0000000001');
});
