import { parseInstant } from '../arithmetic/calendar.ts';
import type { ZoneClock } from '../plan/input.ts';
import type { Schedule } from '../plan/offer.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';

const localDate = /^\d{4}-\d{2}-\d{2}$/;
const withOffset = /T.*(?:Z|[+-]\d{2}(?::?\d{2})?)$/;
const unreadable = (zone: string): Schedule => ({ zone, closed: () => 'unreadable' });

/**
 * Dates are local days, both inclusive; instants are start inclusive, end exclusive. Hours: start inclusive, end
 * exclusive; start above end wraps over midnight and the weekday is that of the window's start; equal is the whole
 * day. What cannot be read closes the offer.
 */
export function compileSchedule(source: JsonObject | null, tenantZone: string): Schedule | null {
  if (source === null || Object.keys(source).length === 0) return null;
  const zone = typeof source.timezone === 'string' && source.timezone !== '' ? source.timezone : tenantZone;
  const start = readBound(source.startDate);
  const end = readBound(source.endDate);
  const startHour = readHour(source.startHour, 0);
  const endHour = readHour(source.endHour, 24);
  const days = readDays(source.daysOfWeek);
  if (
    start === undefined ||
    end === undefined ||
    startHour === undefined ||
    endHour === undefined ||
    days === undefined
  )
    return unreadable(zone);
  return {
    zone,
    closed(now, clock) {
      if (start !== null && (typeof start === 'string' ? clock.date < start : now < start)) return 'not_started';
      if (end !== null && (typeof end === 'string' ? clock.date > end : now >= end)) return 'ended';
      return hoursClosed(clock, startHour, endHour, days);
    },
  };
}

/** Rule E16 for hours and weekdays. `days`: bit n is weekday n; 0 means all days. */
function hoursClosed(clock: ZoneClock, startHour: number, endHour: number, days: number): 'day' | 'hour' | null {
  const wraps = startHour > endHour;
  const whole = startHour === endHour;
  const inside =
    whole ||
    (wraps ? clock.hour >= startHour || clock.hour < endHour : clock.hour >= startHour && clock.hour < endHour);
  const startedYesterday = wraps && clock.hour < endHour;
  const weekday = startedYesterday ? (clock.weekday + 6) % 7 : clock.weekday;
  if (!inside) return 'hour';
  if (days !== 0 && (days & (1 << weekday)) === 0) return 'day';
  return null;
}

function readBound(value: Json | undefined): string | number | null | undefined {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') return undefined;
  if (localDate.test(value)) return value;
  const instant = withOffset.test(value) ? parseInstant(value) : null;
  return instant === null ? undefined : instant;
}

function readHour(value: Json | undefined, fallback: number): number | undefined {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 24 ? value : undefined;
}

function readDays(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return 0;
  if (!Array.isArray(value)) return undefined;
  let days = 0;
  for (const day of value) {
    if (typeof day !== 'number' || !Number.isInteger(day) || day < 0 || day > 6) return undefined;
    days |= 1 << day;
  }
  return days;
}
