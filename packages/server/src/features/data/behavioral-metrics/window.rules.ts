import { firstIdAt } from '../../../platform/ids.ts';
import { dayRange, zoneClock } from '../../../platform/time/zones.ts';
import type { MetricWindow } from './compute-sql.store.ts';

const dayMs = 86_400_000;

/**
 * Returns the calendar days that end today in the zone. Null for all time. `aheadMs`: how long before its time an event may be
 * stored.
 */
export function windowOf(days: number | null, zone: string, now: Date, aheadMs: number): MetricWindow | null {
  if (days === null) return null;
  const { date: lastDay, dayEnd } = zoneClock(zone, now.getTime());
  const firstDay = new Date(Date.parse(lastDay) - (days - 1) * dayMs).toISOString().slice(0, 10);
  const from = dayRange(zone, firstDay).startMs;
  return {
    from: new Date(from),
    until: new Date(dayEnd),
    firstDay,
    lastDay,
    firstId: firstIdAt(Math.max(0, from - aheadMs)),
  };
}
