import type { Plan, WindowSpec } from '@arbiter/engine';
import type { Tx } from '../../../../db/index.ts';
import { removedBefore } from '../../../operations/retention/index.ts';
import { archivedMonths } from '../../archived-months/index.ts';

const dayMs = 86_400_000;

/**
 * Returns the instant from which the database has every contact, in epoch ms: after everything that was deleted or archived.
 * Minus infinity if nothing was.
 */
export async function historyFrom(tx: Tx): Promise<number> {
  const removed = await removedBefore(tx, 'interactions');
  const months = await archivedMonths(tx, ['interactions', 'impressions'], { from: null, to: null });
  const lastMonth = months.at(-1);
  return Math.max(
    removed?.getTime() ?? Number.NEGATIVE_INFINITY,
    lastMonth === undefined ? Number.NEGATIVE_INFINITY : endOfMonth(lastMonth),
  );
}

/** Returns the end of a month: for `2026-11`, the first instant of December. */
function endOfMonth(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}

/** Maximum time that a window looks back, in ms. */
function spanOf(window: WindowSpec): number {
  switch (window.kind) {
    case 'day':
      return 2 * dayMs;
    case 'week':
      return 8 * dayMs;
    case 'month':
    case 'days30':
      return 32 * dayMs;
    case 'rolling':
      return window.ms;
    case 'alltime':
      return Number.POSITIVE_INFINITY;
  }
}

/** True when history since `from` has all that the plan counts at `now`. */
export function reachesBack({ windows, longestCooldownMs }: Plan, now: number, from: number): boolean {
  if (from === Number.NEGATIVE_INFINITY) return true;
  return now - Math.max(longestCooldownMs, ...windows.map(spanOf)) >= from;
}
