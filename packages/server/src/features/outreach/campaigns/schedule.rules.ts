import { nextRun, parseCron } from '../../../platform/time/cron.ts';
import { instantOf, wallClock } from '../../../platform/time/zones.ts';

/** What determines when a campaign runs. */
export interface CampaignSchedule {
  readonly scheduleType: 'manual' | 'daily' | 'weekly' | 'monthly';
  readonly scheduleDayOfWeek: number | null;
  readonly scheduleDayOfMonth: string | null;
  /** `HH:mm`. */
  readonly scheduleTime: string;
  readonly scheduleTimezone: string;
  readonly scheduleCron: string | null;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

/**
 * Returns the first run after an instant (epoch ms); null for a campaign without a schedule. At changes of the clock, the
 * rule of all schedules applies (docs/design/quality.md T22). Throws RangeError for an invalid cron expression or zone.
 */
export function nextRunOf(schedule: CampaignSchedule, afterMs: number): number | null {
  const { scheduleCron, scheduleType, scheduleDayOfWeek, scheduleDayOfMonth, scheduleTimezone } = schedule;
  if (scheduleCron !== null) return nextRun(parseCron(scheduleCron), scheduleTimezone, afterMs);
  if (scheduleType === 'manual') return null;
  const [hour, minute] = schedule.scheduleTime.split(':').map(Number) as [number, number];
  if (scheduleType === 'monthly' && scheduleDayOfMonth === 'last_working_day') {
    return nextLastWorkingDay(scheduleTimezone, (hour * 60 + minute) * minuteMs, afterMs);
  }
  const dayOfMonth = scheduleType === 'monthly' ? (scheduleDayOfMonth ?? '1') : '*';
  const dayOfWeek = scheduleType === 'weekly' ? (scheduleDayOfWeek ?? 1) : '*';
  return nextRun(parseCron(`${minute} ${hour} ${dayOfMonth} * ${dayOfWeek}`), scheduleTimezone, afterMs);
}

function nextLastWorkingDay(zone: string, timeOfDayMs: number, afterMs: number): number {
  const today = new Date(wallClock(zone, afterMs));
  // Start with the month before: a time that didn't exist on its last day may be due now.
  for (let month = today.getUTCMonth() - 1; ; month++) {
    const at = instantOf(zone, lastWorkingDay(today.getUTCFullYear(), month) + timeOfDayMs);
    if (at > afterMs) return at;
  }
}

/** Returns the last Monday to Friday of a month, as epoch ms of its midnight in UTC. `month`: 0 is January. */
export function lastWorkingDay(year: number, month: number): number {
  const last = Date.UTC(year, month + 1, 0);
  const weekday = new Date(last).getUTCDay();
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  return last - back * dayMs;
}
