import { nextRun, parseCron } from '../../../platform/time/cron.ts';
import type { Schedule } from './pipelines.store.ts';

/**
 * Returns the first run after an instant, both in epoch ms; null without a schedule or for a pipeline that isn't active.
 * At changes of the clock, the rule of all schedules applies (docs/design/quality.md T22). Throws RangeError for an
 * expression that is invalid or never runs.
 */
export function nextRunOf(
  { status, schedule }: { readonly status: string; readonly schedule: Schedule | null },
  afterMs: number,
): number | null {
  if (schedule === null || status !== 'active') return null;
  return nextRun(parseCron(schedule.cronExpression), schedule.timezone, afterMs);
}
