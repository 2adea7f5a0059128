import type { ErrorEntry, OfferSchedule } from '@arbiter/contract';

/** What the rules of schedules need to know of time zones. */
export interface Zones {
  /** What is wrong with a text as the name of a zone; null when it is right. */
  problem(zone: string): string | null;
  /** First instant of a calendar day and of the next one, epoch ms. */
  dayRange(zone: string, day: string): { readonly startMs: number; readonly endMs: number };
}

const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function isDay(text: string): boolean {
  const parts = dayPattern.exec(text);
  if (parts === null) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** A day that exists, or an instant with offset on such a day. */
function isScheduleDate(text: string): boolean {
  if (dayPattern.test(text)) return isDay(text);
  return instantPattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

/** True when only the zone tells which of the two bounds is first: one is a day, the other an instant. */
export function needsZone({ startDate, endDate }: OfferSchedule): boolean {
  if (typeof startDate !== 'string' || typeof endDate !== 'string') return false;
  return dayPattern.test(startDate) !== dayPattern.test(endDate);
}

/**
 * The schedule's meaning beyond its shape: dates that exist, an end after the start, a zone we know
 * (docs/design/api-catalogue.md 6, docs/design/api-settled.md 54). Equal days are one day. `tenantZone` is asked for a
 * day beside an instant when the schedule names no zone.
 */
export function scheduleProblems(schedule: OfferSchedule, zones: Zones, tenantZone: string): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const { startDate: start, endDate: end, timezone: zone } = schedule;
  for (const [key, value] of [
    ['startDate', start],
    ['endDate', end],
  ] as const) {
    if (typeof value === 'string' && !isScheduleDate(value)) {
      problems.push({ path: `/schedule/${key}`, message: 'must be YYYY-MM-DD or an instant with an offset' });
    }
  }
  const message = typeof zone === 'string' ? zones.problem(zone) : null;
  if (message !== null) problems.push({ path: '/schedule/timezone', message });
  if (problems.length > 0 || typeof start !== 'string' || typeof end !== 'string') return problems;
  if (isOpenAtAll(start, end, (day) => zones.dayRange(zone ?? tenantZone, day))) return [];
  return [{ path: '/schedule/endDate', message: 'must be after startDate' }];
}

function isOpenAtAll(start: string, end: string, range: (day: string) => ReturnType<Zones['dayRange']>): boolean {
  // Days are compared as days: one that a zone skipped has no length there, and is still a day.
  if (dayPattern.test(start) && dayPattern.test(end)) return start <= end;
  const from = dayPattern.test(start) ? range(start).startMs : Date.parse(start);
  const to = dayPattern.test(end) ? range(end).endMs : Date.parse(end);
  return from < to;
}
