import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCustomerId, isDate, isDateTime } from './formats.ts';

test('a date-time has a zone and is valid', () => {
  const good = [
    '2026-11-20T09:00:00Z',
    '2026-11-20t09:00:00.123456z',
    '2024-02-29T23:59:59+05:30',
    '2026-01-01T00:00:00-12:00',
  ];
  for (const text of good) {
    assert.ok(isDateTime(text), text);
    assert.ok(!Number.isNaN(Date.parse(text)), text);
  }
  const bad = [
    '2026-11-20',
    '2026-11-20T09:00:00',
    '2026-11-20T09:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
  ];
  const worse = ['2026-11-20T24:00:00Z', '2026-11-20T09:60:00Z', '2026-11-20T09:00:60Z', '2026-11-20T09:00:00+24:00'];
  const odd = [
    '0000-01-01T00:00:00Z',
    '2026-11-20T09:00:00+99:99',
    '2026-11-20 09:00:00Z',
    '+002026-11-20T09:00:00Z',
    '',
  ];
  for (const text of [...bad, ...worse, ...odd, ' 2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z\n']) {
    assert.ok(!isDateTime(text), text);
  }
});

test('a date is valid', () => {
  assert.ok(isDate('2024-02-29'));
  for (const text of ['2026-02-29', '2026-00-10', '2026-1-1', '2026-11-20T00:00:00Z']) assert.ok(!isDate(text), text);
});

test('a customer ID has 1 to 255 characters, no control characters, and no outer whitespace (E20)', () => {
  for (const text of ['a', 'a b', '😀'.repeat(255), 'e\u0301', '\u202eabc', '..', 'a/b%2F', '"\\', '\ud7ff']) {
    assert.ok(isCustomerId(text), text);
  }
  for (const text of [
    '',
    ' a',
    'a ',
    '\u00a0a',
    'a\u3000',
    'a\nb',
    '\u0000',
    'a\u007f',
    'a\u0085b',
    'x'.repeat(256),
    '😀'.repeat(256),
    '\ud800',
  ]) {
    assert.ok(!isCustomerId(text), JSON.stringify(text));
  }
});
