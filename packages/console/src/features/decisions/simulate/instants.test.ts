import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localInstant, utcInstant } from './instants.ts';

test("reads and writes local times in the tenant's zone, wherever the browser is", () => {
  for (const [zone, local, instant] of [
    ['UTC', '2026-12-09T08:00', '2026-12-09T08:00:00.000Z'],
    ['Europe/Berlin', '2026-12-09T08:00', '2026-12-09T07:00:00.000Z'],
    ['Europe/Berlin', '2026-07-09T08:00', '2026-07-09T06:00:00.000Z'],
    ['Asia/Kolkata', '2026-12-09T08:00', '2026-12-09T02:30:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01T00:15', '2025-12-31T18:30:00.000Z'],
    ['America/New_York', '2026-12-31T23:59', '2027-01-01T04:59:00.000Z'],
    ['Pacific/Kiritimati', '2026-12-09T00:00', '2026-12-08T10:00:00.000Z'],
  ] as const) {
    assert.equal(utcInstant(local, zone), instant, `${local} in ${zone}`);
    assert.equal(localInstant(instant, zone), local, `${instant} in ${zone}`);
  }
});

test('handles hours of the days on which the clocks change', () => {
  const berlin = (text: string) => utcInstant(text, 'Europe/Berlin');
  assert.equal(berlin('2026-03-29T01:59'), '2026-03-29T00:59:00.000Z');
  assert.equal(berlin('2026-03-29T03:00'), '2026-03-29T01:00:00.000Z');
  assert.equal(berlin('2026-10-25T02:30'), '2026-10-25T00:30:00.000Z', 'the first of the two');
  assert.equal(berlin('2026-10-25T03:30'), '2026-10-25T02:30:00.000Z');
  assert.equal(localInstant(berlin('2026-03-29T02:30') ?? '', 'Europe/Berlin'), '2026-03-29T03:30', 'there is no 2:30');
});

test('reads no instant from an invalid time', () => {
  for (const text of ['', 'tomorrow', '2026-13-01T00:00']) assert.equal(utcInstant(text, 'UTC'), null, text);
  assert.equal(localInstant('soon', 'UTC'), '');
});
