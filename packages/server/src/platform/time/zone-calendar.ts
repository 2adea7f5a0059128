import { offsetAt, type ZoneClock } from '@arbiter/engine';
import { zoneOffsetsSince } from './zones.ts';

const dayMs = 86_400_000;

type Offsets = readonly (readonly [from: number, offsetMs: number])[];

/**
 * Returns what `zoneClock` does, for hundreds of days: reads the zone's offsets from the runtime once and computes the
 * rest. Right for instants from a month after the start of `fromYear` to a month before that of `untilYear`. Throws
 * RangeError when the zone doesn't exist.
 */
export function zoneCalendar(zoneName: string, fromYear: number, untilYear: number): (at: number) => ZoneClock {
  const work = zoneOffsetsSince(zoneName, fromYear, untilYear);
  let piece = work.next();
  while (!piece.done) piece = work.next();
  const offsets: Offsets = piece.value;
  const days = new Map<number, CalendarDay>();
  return (at) => {
    const local = at + offsetAt(offsets, at);
    const number = Math.floor(local / dayMs);
    let day = days.get(number);
    if (day === undefined) {
      day = localDay(offsets, number * dayMs);
      days.set(number, day);
    }
    const second = Math.floor((local - number * dayMs) / 1000);
    return { ...day, hour: Math.floor(second / 3600), minute: Math.floor(second / 60) % 60, second: second % 60 };
  };
}

type CalendarDay = Omit<ZoneClock, 'hour' | 'minute' | 'second' | 'offsets'>;

/** `midnight`: local time written as if it were UTC. */
function localDay(offsets: Offsets, midnight: number): CalendarDay {
  const date = new Date(midnight);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const weekday = date.getUTCDay();
  const monday = midnight - ((weekday + 6) % 7) * dayMs;
  return {
    dayStart: firstInstant(offsets, midnight),
    dayEnd: firstInstant(offsets, midnight + dayMs),
    weekStart: firstInstant(offsets, monday),
    weekEnd: firstInstant(offsets, monday + 7 * dayMs),
    monthStart: firstInstant(offsets, Date.UTC(year, month)),
    monthEnd: firstInstant(offsets, Date.UTC(year, month + 1)),
    days30Start: firstInstant(offsets, midnight - 29 * dayMs),
    date: date.toISOString().slice(0, 10),
    weekday,
  };
}

/** The first instant at which the clock shows this time, or right after the gap in which it is left out. */
function firstInstant(offsets: Offsets, local: number): number {
  for (const [at, [from, offsetMs]] of offsets.entries()) {
    const instant = local - offsetMs;
    const end = offsets[at + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    if (instant < end) return at === 0 ? instant : Math.max(instant, from);
  }
  throw new RangeError('a time zone has an offset');
}
