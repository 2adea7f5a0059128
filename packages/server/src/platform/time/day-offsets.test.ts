import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOf } from '../../../../../test/form.ts';
import { dayOffsets } from './day-offsets.ts';
import { zoneClock, zoneOffsets } from './zones.ts';

const dayMs = 86_400_000;

async function dayOf(zone: string, at: number): Promise<string> {
  const { from, seconds } = await dayOffsets(zone);
  const i = from.findLastIndex((start) => start <= at);
  return new Date(Math.floor((at + seconds[i]! * 1000) / dayMs) * dayMs).toISOString().slice(0, 10);
}

// Changes at midnight, a minute after it, over it; half hours; a day that was left out; none at all; days of 1970 to 1989.
const zones = [
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Beirut',
  'Asia/Amman',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Europe/Dublin',
  'Pacific/Apia',
  'UTC',
];

for (const zone of shareOf(zones, 'days by addition', 3)) {
  test(`adding days follows the calendar: ${zone}`, async () => {
    const around = [
      -dayMs,
      -3_600_000,
      -60_000,
      -1,
      0,
      1,
      1_800_000,
      3_540_000,
      3_599_999,
      3_600_000,
      5_400_000,
      dayMs,
    ];
    const changes = zoneOffsets(zone).flatMap(([from]) => around.map((by) => from + by));
    const others = Array.from({ length: 200 }, (_, i) => i * 117.37 * dayMs).map(Math.floor);
    for (const at of [...changes, ...others]) {
      if (at < 0 || at > Date.UTC(2044, 11)) continue;
      assert.equal(await dayOf(zone, at), zoneClock(zone, at).date, `${zone} at ${new Date(at).toISOString()}`);
    }
  });
}

test('rejects an invalid zone each time', async () => {
  for (let i = 0; i < 2; i++) await assert.rejects(dayOffsets('Mars/Olympus'), RangeError);
});
