import type { OfferSchedule } from '@arbiter/contract/offers';
import { listText } from './conditions.ts';

/** When an offer may be decided (docs/design/api-catalogue.md 6), in words. */

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
const dayOnly = /^\d{4}-\d{2}-\d{2}$/;

/** `always`: no first and no last day; `later`: not begun; `over`: its last day has passed. */
export type ScheduleState = 'always' | 'later' | 'running' | 'over';

export const scheduleStateTexts = {
  always: 'always',
  later: 'not begun',
  running: 'running',
  over: 'over',
} as const satisfies Readonly<Record<ScheduleState, string>>;

/** `2026-11-22` of an instant in a zone. */
function dayIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

/** Where `now` (milliseconds) stands between the first and the last day; days and hours of the week are not asked. */
export function scheduleState(schedule: OfferSchedule, now: number, tenantZone: string): ScheduleState {
  const { startDate, endDate, timezone } = schedule;
  if (!startDate && !endDate) return 'always';
  const today = dayIn(timezone ?? tenantZone, now);
  if (startDate && (dayOnly.test(startDate) ? today < startDate : now < Date.parse(startDate))) return 'later';
  if (endDate && (dayOnly.test(endDate) ? today > endDate : now >= Date.parse(endDate))) return 'over';
  return 'running';
}

/** How a screen writes days and instants. */
export interface DateWriter {
  readonly day: (day: string) => string;
  readonly instant: (at: string) => string;
}

const written = (text: string, { day, instant }: DateWriter) => (dayOnly.test(text) ? day(text) : instant(text));

/** First and last day: `from 1 Jan 2026 until 31 Dec 2026`; null: no limit. */
export function datesText({ startDate, endDate }: OfferSchedule, writer: DateWriter): string | null {
  const parts = [
    startDate ? `from ${written(startDate, writer)}` : null,
    endDate ? `until ${written(endDate, writer)}` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}

/** Hours and days of the week: `Mon and Tue, 08:00 to 20:00`; null: no limit. */
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
