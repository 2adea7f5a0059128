import type { Static, TSchema } from 'typebox';
import type { Tx } from '../db/index.ts';
import { AppError, invalid } from '../platform/app-error.ts';
import { type Cron, nextRun, parseCron } from '../platform/time/cron.ts';
import { isZone } from '../platform/time/zones.ts';
import type { Job } from './job.ts';
import { deleteSchedule, type StoredSchedule, selectSchedule, upsertSchedule } from './schedules.store.ts';

/** When a tenant's job runs. */
export interface ScheduleSpec<Payload> {
  readonly cron: string;
  /** IANA name. */
  readonly zone: string;
  readonly payload: Payload;
  readonly enabled: boolean;
}

/**
 * Schedules a job of the tenant, or changes its schedule. `key`: id of the owning record. Each change restarts from
 * now. Throws 422 `invalid_cron` for an expression that's invalid or never runs, and 400 for an invalid zone.
 */
export async function setSchedule<P extends TSchema>(
  tx: Tx,
  job: Job<P, 'tenant'>,
  key: string,
  { cron, zone, payload, enabled }: ScheduleSpec<Static<P>>,
): Promise<StoredSchedule> {
  if (key === '') throw new Error('a schedule of a tenant belongs to a record');
  if (!isZone(zone)) throw invalid('/timezone', 'is not a time zone');
  const next = nextRun(readCron(cron), zone, tx.now.getTime());
  const nextRunAt = enabled ? new Date(next) : null;
  return upsertSchedule(tx, { job: job.name, key, payload: job.check(payload), cron, zone, nextRunAt });
}

function readCron(text: string): Cron {
  const problem = cronProblem(text);
  if (problem !== null) throw new AppError('invalid_cron', { detail: problem });
  return parseCron(text);
}

/** Returns why an expression is invalid or never runs; null: it's fine. */
export function cronProblem(text: string): string | null {
  try {
    parseCron(text);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return `The cron expression ${error.message}.`;
    throw error;
  }
}

/** The schedule of a record; null when it has none. */
export async function findSchedule(tx: Tx, job: Job, key: string): Promise<StoredSchedule | null> {
  return selectSchedule(tx, job.name, key);
}

/** Ends a schedule. What it has put into the queue already still runs. */
export async function clearSchedule(tx: Tx, job: Job, key: string): Promise<void> {
  await deleteSchedule(tx, job.name, key);
}
