import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOf } from '../../../../../test/form.ts';
import { zoneCalendar } from './zone-calendar.ts';
import { zoneClock } from './zones.ts';

test('a calendar matches the clock of its zone, including days with a clock change', () => {
  // Gaps and overlaps at midnight (Havana, Beirut), half an hour (Lord Howe), none.
  const names = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Havana', 'Asia/Beirut', 'Australia/Lord_Howe'];
  for (const name of shareOf(names, 'zones of a calendar', 3)) {
    const calendar = zoneCalendar(name, 2025, 2029);
    for (let at = Date.UTC(2025, 9, 1); at < Date.UTC(2027, 10, 1); at += 7 * 3_600_000 + 1_234_567) {
      assert.deepEqual(calendar(at), zoneClock(name, at), `${name} ${at}`);
    }
  }
});

test('rejects an invalid zone', () => {
  assert.throws(() => zoneCalendar('Mars/Olympus', 2025, 2029), RangeError);
});
