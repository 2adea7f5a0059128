import type { ErrorEntry, OfferSchedule } from '@arbiter/contract';

/** What the schedule rules need to know about time zones. */
export interface ZoneRules {
  /** Returns why a text isn't the name of a time zone; null if it is. */
  problem(zone: string): string | null;
  /** First instant of a calendar day and of the next day, in epoch ms. */
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

/** True for an existing day, or an instant with an offset on an existing day. */
function isScheduleDate(text: string): boolean {
  if (dayPattern.test(text)) return isDay(text);
  return instantPattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

/** True if only the time zone can tell which bound comes first: one is a day, the other an instant. */
export function needsZone({ startDate, endDate }: OfferSchedule): boolean {
  if (typeof startDate !== 'string' || typeof endDate !== 'string') return false;
  return dayPattern.test(startDate) !== dayPattern.test(endDate);
}

/**
 * Checks what a schedule's schema can't express: dates exist, the end follows the start, the time zone is known
 * (docs/design/api-catalogue.md 6, docs/design/api-settled.md 54). Equal days mean one day. `tenantZone` applies if the
 * schedule compares a day with an instant and has no zone.
 */
export function scheduleProblems(schedule: OfferSchedule, zones: ZoneRules, tenantZone: string): ErrorEntry[] {
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

function isOpenAtAll(start: string, end: string, range: (day: string) => ReturnType<ZoneRules['dayRange']>): boolean {
  // Compare days as days: a day that a zone skipped has no length there, but is still a day.
  if (dayPattern.test(start) && dayPattern.test(end)) return start <= end;
  const from = dayPattern.test(start) ? range(start).startMs : Date.parse(start);
  const to = dayPattern.test(end) ? range(end).endMs : Date.parse(end);
  return from < to;
}
