import type { ZoneClock } from '../../src/index.ts';

const dayMs = 86_400_000;

/** A clock of UTC, whatever the zone, in a week and a month of its own: for tests that do not depend on them. */
export function utcClock(_zone: string, now: number): ZoneClock {
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const minutes = Math.floor((now - dayStart) / 60_000);
  return {
    dayStart,
    dayEnd: dayStart + dayMs,
    weekStart: dayStart - 3 * dayMs,
    weekEnd: dayStart + 4 * dayMs,
    monthStart: dayStart - 10 * dayMs,
    monthEnd: dayStart + 20 * dayMs,
    days30Start: dayStart - 29 * dayMs,
    date: '2026-06-15',
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
    second: Math.floor(now / 1000) % 60,
    weekday: 1,
  };
}
