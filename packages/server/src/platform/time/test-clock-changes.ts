/**
 * For tests: when schedules are due around clock changes, read minute by minute from the runtime's own formatter.
 * Shares no code with what it tests.
 */

const minuteMs = 60_000;

/** Zones with shifts of one hour, half an hour and two hours, at midnight and elsewhere; days of changes, spring and autumn. */
export const clockChanges: readonly [zone: string, spring: string, autumn: string][] = [
  ['Europe/Berlin', '2027-03-28', '2026-10-25'],
  ['Europe/London', '2027-03-28', '2026-10-25'],
  ['America/New_York', '2027-03-14', '2026-11-01'],
  ['America/Havana', '2026-03-08', '2026-11-01'],
  ['America/Santiago', '2026-09-06', '2026-04-05'],
  ['America/St_Johns', '2027-03-14', '2026-11-01'],
  ['Asia/Beirut', '2026-03-29', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-10-04', '2026-04-05'],
  ['Australia/Sydney', '2026-10-04', '2026-04-05'],
  ['Pacific/Chatham', '2026-09-27', '2026-04-05'],
  ['Atlantic/Azores', '2027-03-28', '2026-10-25'],
  ['Antarctica/Troll', '2026-03-29', '2026-10-25'],
];

/** A wall clock reading. */
export interface Wall {
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

/** Returns the wall clock of a zone at each minute of a span (epoch ms). */
export function wallClocks(zone: string, from: number, to: number): ReadonlyMap<number, Wall> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const walls = new Map<number, Wall>();
  for (let ms = from; ms < to; ms += minuteMs) {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    walls.set(ms, {
      day: `${parts.year}-${parts.month}-${parts.day}`,
      hour: Number(parts.hour),
      minute: Number(parts.minute),
    });
  }
  return walls;
}

const minuteOf = ({ day, hour, minute }: Wall): number => Date.parse(`${day}T00:00Z`) / minuteMs + hour * 60 + minute;

/** The first minute at which the clock jumps. */
export function firstJump(walls: ReadonlyMap<number, Wall>): number {
  let before: Wall | null = null;
  for (const [ms, wall] of walls) {
    if (before !== null && minuteOf(wall) !== minuteOf(before) + 1) return ms;
    before = wall;
  }
  throw new Error('the clock does not change');
}

/**
 * The minutes at which a pattern of every day is due by the rule of docs/design/quality.md T22, for these hours (null: every
 * hour, in real time) and minutes.
 */
export function dueMinutes(
  walls: ReadonlyMap<number, Wall>,
  hours: readonly number[] | null,
  minutes: readonly number[],
): number[] {
  const due = new Set<number>();
  const seen = new Set<number>();
  let before: Wall | null = null;
  for (const [ms, wall] of walls) {
    if (hours === null) {
      if (minutes.includes(wall.minute)) due.add(ms);
      continue;
    }
    // The times between the minute before and this one: one, or all that the clock jumped over.
    const last = minuteOf(wall);
    const first = before === null ? last : Math.min(last, minuteOf(before) + 1);
    for (let passed = first; passed <= last; passed++) {
      const isNew = !seen.has(passed);
      seen.add(passed);
      const ofDay = passed % 1440;
      if (isNew && hours.includes(Math.floor(ofDay / 60)) && minutes.includes(ofDay % 60)) due.add(ms);
    }
    before = wall;
  }
  return [...due];
}
