import type { ZoneClock } from '@arbiter/engine';
import { IANAZone } from 'luxon';
import { isZoneName, nearZoneName } from './zone-names.ts';

/**
 * The one place that knows time zones (docs/design/quality.md F15): never `AT TIME ZONE` with a zone a tenant chose. A calendar day
 * begins at its first instant: at the first of two midnights, or, when midnight falls into a gap, right after the gap.
 */

/** True for a zone name of the tz database, spelled as there, that this process knows (`Europe/Paris`, `UTC`). */
export function isZone(name: string): boolean {
  return isZoneName(name) && IANAZone.isValidZone(name);
}

/** Returns an error message for a text that isn't a zone's name; null when it's valid. */
export function zoneProblem(name: string): string | null {
  if (isZone(name)) return null;
  const near = nearZoneName(name);
  return `must be a time zone of the IANA list, such as Europe/Paris${near === null ? '' : ` (${near}?)`}`;
}

/** Edition of the rules by which instants become local times here (`2026a`); null when the process does not tell. */
export const tzdataVersion: string | null = process.versions.tz ?? null;

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** No two instants this far apart share a change of the clock; Apia once skipped a whole day. */
const reachMs = 26 * 60 * minuteMs;

/** One local day of a zone: the ranges valid all day, and the offsets in force. */
interface ZoneDay {
  readonly ranges: Pick<
    ZoneClock,
    'dayStart' | 'dayEnd' | 'weekStart' | 'weekEnd' | 'monthStart' | 'monthEnd' | 'days30Start'
  >;
  readonly date: string;
  readonly weekday: number;
  readonly offsets: OffsetsAround;
}

/**
 * Recently used days by zone, newest first: the hot path needs the same one again and again, a replay one from the past
 * at the same time, and a check of the catalogue some 40 days to come. Asking the runtime for an offset takes a tenth of a
 * millisecond.
 */
const knownDays = new Map<string, ZoneDay[]>();
const maxZones = 1_000;
const maxDays = 48;

/** Wall clock and calendar ranges (epoch ms, end exclusive) of a zone at an instant. Throws RangeError for no zone. */
export function zoneClock(zoneName: string, nowMs: number): ZoneClock {
  const day = knownDay(zoneName, nowMs) ?? newDay(zoneName, nowMs);
  const { before, change, after } = day.offsets;
  const local = nowMs + (nowMs < change ? before : after);
  const secondOfDay = Math.floor(modulo(local, dayMs) / 1000);
  return {
    ...day.ranges,
    date: day.date,
    weekday: day.weekday,
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
  };
}

function knownDay(zoneName: string, nowMs: number): ZoneDay | undefined {
  const days = knownDays.get(zoneName);
  if (days === undefined) return undefined;
  for (const day of days) if (nowMs >= day.ranges.dayStart && nowMs < day.ranges.dayEnd) return day;
  return undefined;
}

function newDay(zoneName: string, nowMs: number): ZoneDay {
  const day = localDayAt(zoneName, nowMs);
  if (knownDays.size >= maxZones) knownDays.clear();
  knownDays.set(zoneName, [day, ...(knownDays.get(zoneName) ?? [])].slice(0, maxDays));
  return day;
}

/** Start and end of a calendar day (`2026-11-20`) in a zone, as epoch ms, end exclusive: 23 to 25 hours. */
export function dayRange(zoneName: string, day: string): { startMs: number; endMs: number } {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date));
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    throw new RangeError(`not a day: ${day}`);
  }
  const zone = zoneOf(zoneName);
  return { startMs: firstInstant(zone, midnight), endMs: firstInstant(zone, midnight + dayMs) };
}

function localDayAt(zoneName: string, nowMs: number): ZoneDay {
  const zone = zoneOf(zoneName);
  // Local time written as if it were UTC: calendar arithmetic is then plain.
  const local = nowMs + zone.offset(nowMs) * minuteMs;
  const midnight = local - modulo(local, dayMs);
  const date = new Date(midnight);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const weekday = date.getUTCDay();
  const monday = midnight - ((weekday + 6) % 7) * dayMs;
  const [dayStart, dayEnd] = [firstInstant(zone, midnight), firstInstant(zone, midnight + dayMs)];
  return {
    ranges: {
      dayStart,
      dayEnd,
      weekStart: firstInstant(zone, monday),
      weekEnd: firstInstant(zone, monday + 7 * dayMs),
      monthStart: firstInstant(zone, Date.UTC(year, month)),
      monthEnd: firstInstant(zone, Date.UTC(year, month + 1)),
      days30Start: firstInstant(zone, midnight - 29 * dayMs),
    },
    date: date.toISOString().slice(0, 10),
    weekday,
    offsets: offsetsBetween(zone, dayStart, dayEnd - minuteMs),
  };
}

/** Returns the first instant of the local day whose midnight is `midnight`, local time written as if it were UTC. */
function firstInstant(zone: IANAZone, midnight: number): number {
  const before = zone.offset(midnight - reachMs);
  const after = zone.offset(midnight + reachMs);
  const exact = [before, after]
    .map((offset) => ({ offset, instant: midnight - offset * minuteMs }))
    .filter(({ offset, instant }) => zone.offset(instant) === offset)
    .map(({ instant }) => instant);
  if (exact.length > 0) return Math.min(...exact);
  // Midnight does not exist: the day begins where the clock jumps.
  let [low, high] = [midnight - reachMs, midnight + reachMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle + zone.offset(middle) * minuteMs < midnight) low = middle;
    else high = middle;
  }
  return high;
}

/** The wall clock of a zone at an instant, written as if it were UTC (ms), so that calendar arithmetic is plain. */
export function wallClock(zoneName: string, epochMs: number): number {
  const { before, change, after } = offsetsAround(zoneName, Math.floor(epochMs / dayMs));
  return epochMs + (epochMs < change ? before : after);
}

/**
 * The instant at which a zone's wall clock first shows a time (both in ms, the wall clock written as if it were UTC): the
 * first of two in an overlap, the first instant after the gap for a time that does not exist (docs/design/quality.md T22).
 */
export function instantOf(zoneName: string, wallClockMs: number): number {
  const { before, change, after } = offsetsAround(zoneName, Math.floor(wallClockMs / dayMs));
  if (wallClockMs - before < change) return wallClockMs - before;
  return Math.max(change, wallClockMs - after);
}

/** Offsets (ms) of a zone around a day: `before` the change of the clock (epoch ms), and `after` it. */
interface OffsetsAround {
  readonly before: number;
  /** -Infinity when the clock does not change. */
  readonly change: number;
  readonly after: number;
}

/** Cached by zone and day, because asking the runtime for an offset takes a tenth of a millisecond. */
const offsetsByDay = new Map<string, OffsetsAround>();
const maxOffsets = 10_000;

/** `day` counts from 1970-01-01. No zone changes its clock twice within five days. */
function offsetsAround(zoneName: string, day: number): OffsetsAround {
  const key = `${day} ${zoneName}`;
  const known = offsetsByDay.get(key);
  if (known !== undefined) return known;
  const found = offsetsBetween(zoneOf(zoneName), (day - 2) * dayMs, (day + 3) * dayMs);
  if (offsetsByDay.size >= maxOffsets) offsetsByDay.clear();
  offsetsByDay.set(key, found);
  return found;
}

/** The offsets from one instant to another (both on whole minutes), between which the clock changes once at most. */
function offsetsBetween(zone: IANAZone, from: number, to: number): OffsetsAround {
  let [low, high] = [from, to];
  const [before, after] = [zone.offset(low), zone.offset(high)];
  while (before !== after && high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / minuteMs / 2) * minuteMs;
    if (zone.offset(middle) === before) low = middle;
    else high = middle;
  }
  return {
    before: before * minuteMs,
    change: before === after ? Number.NEGATIVE_INFINITY : high,
    after: after * minuteMs,
  };
}

function zoneOf(name: string): IANAZone {
  // Accepts any spelling: zones stored before the spelling was checked must keep working. Offsets (`+02:00`) are valid
  // to the runtime, but they aren't zones: they have no daylight saving time.
  if (!/^[A-Za-z]/.test(name) || !IANAZone.isValidZone(name)) throw new RangeError(`not a time zone: ${name}`);
  return IANAZone.create(name);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

const [firstYear, lastYear] = [1990, 2045];
/** No zone changes its clock there and back within such a step; before 1990 some changed it twice within a month. */
const stepMs = (from: number): number => (from < Date.UTC(firstYear, 0) ? 14 : 28) * dayMs;
/** A zone's offsets never change while the process runs. */
const offsetsByZone = new Map<string, readonly (readonly [from: number, offsetMs: number])[]>();

/**
 * UTC offsets of a zone, `[from, offsetMs]` in epoch ms, oldest first, for instants of the years 1990 to 2044; the
 * first and last hold beyond. Throws RangeError for no zone.
 */
export function zoneOffsets(zoneName: string): readonly (readonly [from: number, offsetMs: number])[] {
  const known = offsetsByZone.get(zoneName);
  if (known !== undefined) return known;
  const work = zoneOffsetsSince(zoneName, firstYear);
  let piece = work.next();
  while (!piece.done) piece = work.next();
  offsetsByZone.set(zoneName, piece.value);
  return piece.value;
}

/**
 * Yields the offsets from the start of a year (1970 at the earliest) to that of another, in small pieces for work that
 * takes turns. Since 1970 every change falls on a whole minute. Throws RangeError when the zone doesn't exist.
 */
export function* zoneOffsetsSince(
  zoneName: string,
  year: number,
  untilYear: number = lastYear,
): Generator<void, readonly (readonly [from: number, offsetMs: number])[]> {
  const zone = zoneOf(zoneName);
  const end = Date.UTC(untilYear, 0);
  let from = Date.UTC(year, 0);
  let offset = zone.offset(from);
  const offsets: [number, number][] = [[from, offset * minuteMs]];
  for (let to = from; from < end; from = to) {
    yield;
    to = from + stepMs(from);
    let [low, high] = [from, Math.min(end, to)];
    const next = zone.offset(high);
    if (next === offset) continue;
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / minuteMs / 2) * minuteMs;
      if (zone.offset(middle) === offset) low = middle;
      else high = middle;
    }
    offsets.push([high, next * minuteMs]);
    offset = next;
  }
  return offsets;
}
