import type { OfferSchedule } from '@arbiter/contract/catalogue/offers';
import { listText } from './conditions.ts';

/** Offer schedules in words (docs/design/api-catalogue.md, section 6). */

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
const dayOnly = /^\d{4}-\d{2}-\d{2}$/;

/** `always`: no start and no end; `later`: not started yet; `over`: ended. */
export type ScheduleState = 'always' | 'later' | 'running' | 'over';

export const scheduleStateTexts = {
  always: 'always',
  later: 'not started',
  running: 'running',
  over: 'ended',
} as const satisfies Readonly<Record<ScheduleState, string>>;

/** Formats an instant as a day in a time zone: `2026-11-22`. */
function dayIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

/** Compares `now` (milliseconds) with the first and last day. Ignores weekdays and hours. */
export function scheduleState(schedule: OfferSchedule, now: number, tenantZone: string): ScheduleState {
  const { startDate, endDate, timezone } = schedule;
  if (!startDate && !endDate) return 'always';
  const today = dayIn(timezone ?? tenantZone, now);
  if (startDate && (dayOnly.test(startDate) ? today < startDate : now < Date.parse(startDate))) return 'later';
  if (endDate && (dayOnly.test(endDate) ? today > endDate : now >= Date.parse(endDate))) return 'over';
  return 'running';
}

/** Formatters for days and instants. */
export interface DateWriter {
  readonly day: (day: string) => string;
  readonly instant: (at: string) => string;
}

const written = (text: string, { day, instant }: DateWriter) => (dayOnly.test(text) ? day(text) : instant(text));

/** Formats the dates: `from 1 Jan 2026 to 31 Dec 2026`. Returns null if there is no limit. */
export function datesText({ startDate, endDate }: OfferSchedule, writer: DateWriter): string | null {
  const parts = [
    startDate ? `from ${written(startDate, writer)}` : null,
    endDate ? `until ${written(endDate, writer)}` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}

/** Formats weekdays and hours: `Mon and Tue, 08:00 to 20:00`. Returns null if there is no limit. */
export function hoursText({ daysOfWeek, startHour, endHour }: OfferSchedule): string | null {
  const days = daysOfWeek ?? [];
  const someDays = days.length > 0 && new Set(days).size < 7;
  const [from, to] = [startHour ?? 0, endHour ?? 24];
  const someHours = startHour != null || endHour != null ? from !== 0 || to !== 24 : false;
  const parts = [
    someDays ? listText(days.map((day) => weekdays[day] ?? '?')) : null,
    someHours ? `${clock(from)} to ${clock(to)}` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
