import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignSchedule, lastWorkingDay, nextRunOf } from './schedule.rules.ts';

const schedule = (changes: Partial<CampaignSchedule>): CampaignSchedule => ({
  scheduleType: 'daily',
  scheduleDayOfWeek: null,
  scheduleDayOfMonth: null,
  scheduleTime: '09:00',
  scheduleTimezone: 'UTC',
  scheduleCron: null,
  ...changes,
});
const next = (changes: Partial<CampaignSchedule>, after: string): string | null => {
  const at = nextRunOf(schedule(changes), Date.parse(after));
  return at === null ? null : new Date(at).toISOString();
};

test('finds the last Monday to Friday of a month', () => {
  const day = (year: number, month: number) => new Date(lastWorkingDay(year, month - 1)).toISOString().slice(0, 10);
  assert.equal(day(2027, 2), '2027-02-26');
  assert.equal(day(2026, 5), '2026-05-29');
  assert.equal(day(2026, 12), '2026-12-31');
});

test('finds the next run of each kind of schedule', () => {
  const last = { scheduleType: 'monthly', scheduleDayOfMonth: 'last_working_day' } as const;
  assert.equal(next({ scheduleType: 'manual' }, '2026-11-28T10:00:00Z'), null);
  assert.equal(next({}, '2026-11-28T09:00:00Z'), '2026-11-29T09:00:00.000Z');
  assert.equal(next({ scheduleType: 'weekly' }, '2026-11-28T10:00:00Z'), '2026-11-30T09:00:00.000Z');
  assert.equal(
    next({ scheduleType: 'weekly', scheduleDayOfWeek: 0 }, '2026-11-28T10:00:00Z'),
    '2026-11-29T09:00:00.000Z',
  );
  assert.equal(next({ scheduleType: 'monthly' }, '2026-11-28T10:00:00Z'), '2026-12-01T09:00:00.000Z');
  assert.equal(next(last, '2026-11-28T10:00:00Z'), '2026-11-30T09:00:00.000Z');
  assert.equal(next(last, '2026-12-31T09:00:00Z'), '2027-01-29T09:00:00.000Z');
  assert.equal(next({ ...last, scheduleCron: '*/10 * * * *' }, '2026-11-28T10:03:00Z'), '2026-11-28T10:10:00.000Z');
});

test('runs once at a clock change: after a gap, and at the first time in an overlap', () => {
  const paris = { scheduleTimezone: 'Europe/Paris', scheduleTime: '02:30' } as const;
  assert.equal(next(paris, '2027-03-27T12:00:00Z'), '2027-03-28T01:00:00.000Z');
  assert.equal(next(paris, '2027-03-28T01:00:00Z'), '2027-03-29T00:30:00.000Z');
  assert.equal(next(paris, '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z');
  assert.equal(next(paris, '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z');
  // Its last working day has no half past two.
  const cairo = { scheduleType: 'monthly', scheduleDayOfMonth: 'last_working_day' } as const;
  const gap = { ...cairo, scheduleTimezone: 'Africa/Cairo', scheduleTime: '00:30' };
  assert.equal(next(gap, '2026-04-01T00:00:00Z'), '2026-04-29T21:30:00.000Z');
});
