import { instantOf, wallClock } from './zones.ts';

/**
 * Cron expressions and the one rule for all schedules at a change of the clock (docs/design/quality.md T22). No package keeps it: the
 * best of them drop every run of `0,15,30 2 * * *` on the day on which 02:00 to 03:00 does not exist
 * (docs/adr/0010).
 */

/** A cron expression, read. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** The hour field is `*`: such a pattern runs in real time, without hole or pause at a change of the clock. */
  readonly everyHour: boolean;
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** 0 = Sunday. */
  readonly weekdays: readonly number[];
  /** Both kinds of day are given: either is enough. */
  readonly eitherDay: boolean;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const longestMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface CronField {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  readonly names?: readonly string[];
}

const fields = {
  minute: { name: 'minute', lowest: 0, highest: 59 },
  hour: { name: 'hour', lowest: 0, highest: 23 },
  dayOfMonth: { name: 'day of the month', lowest: 1, highest: 31 },
  month: { name: 'month', lowest: 1, highest: 12, names: monthNames },
  weekday: { name: 'day of the week', lowest: 0, highest: 7, names: weekdayNames },
} as const satisfies Record<string, CronField>;

/**
 * Parses five fields: minute, hour, day of the month, month, day of the week; with names, lists, ranges and steps,
 * where 7 is also Sunday. Throws RangeError, whose message may be shown, for any other text and for a schedule that
 * never runs.
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/[ \t]+/);
  const [minute, hour, dayOfMonth, month, weekday] = parts;
  if (
    parts.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    weekday === undefined
  ) {
    throw new RangeError('must have five fields: minute, hour, day of the month, month, day of the week');
  }
  const cron = {
    minutes: readField(minute, fields.minute),
    hours: readField(hour, fields.hour),
    everyHour: hour === '*',
    daysOfMonth: readField(dayOfMonth, fields.dayOfMonth),
    months: readField(month, fields.month),
    weekdays: [...new Set(readField(weekday, fields.weekday).map((day) => day % 7))],
    eitherDay: dayOfMonth !== '*' && weekday !== '*',
  };
  const comesTrue =
    cron.eitherDay || cron.months.some((m) => cron.daysOfMonth.some((day) => day <= longestMonth[m - 1]!));
  if (!comesTrue) throw new RangeError('never matches: none of its months has such a day');
  return cron;
}

function readField(text: string, field: CronField): number[] {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [, range, step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(item) ?? [];
    if (range === undefined) throw invalidItem(field, item);
    const [from, to] = readRange(range, field, item);
    const size = field.highest - field.lowest + 1;
    const by = step === undefined ? 1 : Number(step);
    if (by < 1 || by > size || (step !== undefined && range !== '*' && !range.includes('-')))
      throw invalidItem(field, item);
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function readRange(range: string, field: CronField, item: string): [from: number, to: number] {
  if (range === '*') return [field.lowest, field.highest];
  const ends = range.split('-');
  if (ends.length > 2) throw invalidItem(field, item);
  const from = readValue(ends[0]!, field, item);
  if (ends.length === 1) return [from, from];
  const end = readValue(ends[1]!, field, item);
  // `fri-sun`: the Sunday that ends a week.
  const to = field === fields.weekday && end === 0 ? 7 : end;
  if (to < from) throw invalidItem(field, item);
  return [from, to];
}

function readValue(text: string, field: CronField, item: string): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + field.lowest;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.lowest && value <= field.highest)) throw invalidItem(field, item);
  return value;
}

const invalidItem = (field: CronField, item: string): RangeError =>
  new RangeError(`has an invalid ${field.name}: ${item.slice(0, 40)}`);

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** A 29th of February is at most eight years away. */
const farthestDays = 9 * 366;

/**
 * The first run after an instant (epoch ms) by the clock of a zone. A time of the day that falls into a gap runs at the
 * first instant after it, several of one gap once; one that comes twice runs at its first occurrence; a pattern of every
 * hour runs whenever its minute shows (T22). Throws RangeError for no zone.
 */
export function nextRun(cron: Cron, zone: string, afterMs: number): number {
  return cron.everyHour ? nextMinute(cron, zone, afterMs) : nextTimeOfDay(cron, zone, afterMs);
}

function nextTimeOfDay(cron: Cron, zone: string, afterMs: number): number {
  const today = Math.floor(wallClock(zone, afterMs) / dayMs);
  // Start with yesterday: a time that didn't exist that day may be due now.
  for (let day = today - 1; day < today + farthestDays; day++) {
    if (!isDay(cron, day)) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const at = instantOf(zone, day * dayMs + (hour * 60 + minute) * minuteMs);
        if (at > afterMs) return at;
      }
    }
  }
  throw new RangeError('has no next run');
}

function nextMinute(cron: Cron, zone: string, afterMs: number): number {
  const last = afterMs + farthestDays * dayMs;
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (at < last) {
    const local = wallClock(zone, at);
    const day = Math.floor(local / dayMs);
    if (!isDay(cron, day)) at = Math.max(at + minuteMs, instantOf(zone, (day + 1) * dayMs));
    else if (cron.minutes.includes(Math.floor(local / minuteMs) % 60)) return at;
    else at += minuteMs;
  }
  throw new RangeError('has no next run');
}

/** `day` counts from 1970-01-01. */
function isDay(cron: Cron, day: number): boolean {
  const date = new Date(day * dayMs);
  if (!cron.months.includes(date.getUTCMonth() + 1)) return false;
  const fits = [cron.daysOfMonth.includes(date.getUTCDate()), cron.weekdays.includes(date.getUTCDay())];
  return cron.eitherDay ? fits.some(Boolean) : fits.every(Boolean);
}
