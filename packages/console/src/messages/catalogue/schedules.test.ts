import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datesText, hoursText, scheduleState } from './schedules.ts';

const writer = { day: (day: string) => `day ${day}`, instant: (at: string) => `instant ${at}` };

test('includes whole days in the zone of the schedule', () => {
  const day = { startDate: '2026-03-10', endDate: '2026-03-10', timezone: 'Europe/Berlin' };
  const at = (text: string) => scheduleState(day, Date.parse(text), 'UTC');
  assert.equal(at('2026-03-09T22:59:59Z'), 'later');
  assert.equal(at('2026-03-09T23:00:00Z'), 'running');
  assert.equal(at('2026-03-10T22:59:59Z'), 'running');
  assert.equal(at('2026-03-10T23:00:00Z'), 'over');
});

test("without a zone of its own the schedule has the tenant's", () => {
  const from = { startDate: '2026-03-10' };
  const now = Date.parse('2026-03-09T23:30:00Z');
  assert.equal(scheduleState(from, now, 'UTC'), 'later');
  assert.equal(scheduleState(from, now, 'Europe/Berlin'), 'running');
});

test('includes the start instant and excludes the end instant', () => {
  const span = { startDate: '2026-03-10T08:00:00+01:00', endDate: '2026-03-10T09:00:00+01:00' };
  const at = (text: string) => scheduleState(span, Date.parse(text), 'UTC');
  assert.equal(at('2026-03-10T06:59:59Z'), 'later');
  assert.equal(at('2026-03-10T07:00:00Z'), 'running');
  assert.equal(at('2026-03-10T08:00:00Z'), 'over');
  assert.equal(scheduleState({ endDate: null }, 0, 'UTC'), 'always');
});

test('describes only the limits that a schedule has', () => {
  assert.equal(datesText({}, writer), null);
  assert.equal(
    datesText({ startDate: '2026-01-01', endDate: '2026-02-01T10:00:00Z' }, writer),
    'from day 2026-01-01 until instant 2026-02-01T10:00:00Z',
  );
  assert.equal(hoursText({ daysOfWeek: [], startHour: 0, endHour: 24 }), null);
  assert.equal(hoursText({ daysOfWeek: [0, 1, 2, 3, 4, 5, 6] }), null);
  assert.equal(hoursText({ daysOfWeek: [1, 2], startHour: 8 }), 'Mon and Tue, 08:00 to 24:00');
  assert.equal(hoursText({ endHour: 12 }), '00:00 to 12:00');
});
