import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, isMidnight, timeTicks, unbroken, valueScale } from './scales.ts';
import { dayOf, startOf, zoneOffset } from './zone-days.ts';

test('starts a value axis at zero and ends it at a round number', () => {
  assert.deepEqual(valueScale([3, 97], [100, 0]).scale.domain(), [0, 100]);
  assert.deepEqual(valueScale([-3, 5], [100, 0]).scale.domain(), [-4, 6]);
  assert.deepEqual(valueScale([], [100, 0]).scale.domain(), [0, 1]);
  assert.deepEqual(valueScale([0, 0], [100, 0]).scale.domain(), [0, 1]);
});

test('returns the offset of a zone at an instant', () => {
  assert.equal(zoneOffset(Date.UTC(2026, 6, 1), 'Europe/Berlin'), 120);
  assert.equal(zoneOffset(Date.UTC(2026, 11, 1), 'Europe/Berlin'), 60);
  assert.equal(zoneOffset(Date.UTC(2026, 0, 1), 'Asia/Kolkata'), 330);
});

test('starts days at midnight of the zone, also after a clock change', () => {
  const ticks = timeTicks(Date.UTC(2026, 9, 23, 22), Date.UTC(2026, 9, 26, 23), 5, 'Europe/Berlin');
  assert.deepEqual(
    ticks.map((at) => new Date(at).toISOString()),
    ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z'],
  );
});

test('limits the ticks of a day to the room for them', () => {
  const from = Date.UTC(2026, 10, 1);
  assert.equal(timeTicks(from, from + 86_400_000, 8, 'UTC').length, 9 - 0);
  assert.ok(timeTicks(from, from + 86_400_000, 3, 'UTC').length <= 4);
});

test('labels ticks within a day with the hour, those at midnight with the day', () => {
  const from = Date.UTC(2026, 9, 24, 10);
  const ticks = timeTicks(from, from + 50 * 3_600_000, 5, 'Europe/Berlin');
  assert.deepEqual(
    ticks.map((at) => [new Date(at).toISOString().slice(5, 16), isMidnight(at, 'Europe/Berlin')]),
    [
      ['10-24T10:00', false],
      ['10-24T22:00', true],
      ['10-25T11:00', false],
      ['10-25T23:00', true],
      ['10-26T11:00', false],
    ],
  );
});

test('keeps gaps', () => {
  const runs = unbroken([1, 2, null, 3, null, null, 4].map((value) => ({ value })));
  assert.deepEqual(
    runs.map((run) => run.map(({ value }) => value)),
    [[1, 2], [3], [4]],
  );
});

test('assigns every instant to the day of the zone', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC']) {
    for (const day of ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-23']) {
      const from = startOf(day, zone);
      assert.equal(dayOf(from, zone), day);
      assert.notEqual(dayOf(from - 1, zone), day);
    }
  }
  assert.equal(new Date(startOf('2026-10-26', 'Europe/Berlin')).toISOString(), '2026-10-25T23:00:00.000Z');
});

test('separates the names of lines that end close together', () => {
  assert.deepEqual(apart([100, 100, 20], 14), [100, 86, 20]);
  assert.deepEqual(apart([95, 100, 90], 14), [86, 100, 72]);
  assert.deepEqual(apart([10, 50], 14), [10, 50]);
});
