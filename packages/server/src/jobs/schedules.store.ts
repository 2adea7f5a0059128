import { columns, type RowOf, select, table } from '../db/columns.ts';
import type { Tx } from '../db/index.ts';
import { installation } from './leases.store.ts';

const schedules = table<'schedules', { payload: Readonly<Record<string, unknown>> }>('schedules');
const runs = columns(schedules, ['nextRunAt', 'lastRunAt']);
const dueRuns = columns(schedules, ['tenantId', 'job', 'key', 'payload', 'cron', 'zone', 'nextRunAt']);

/** When a stored schedule runs next and ran last. `nextRunAt` is null when it is turned off. */
export type StoredSchedule = RowOf<typeof runs>;

/** A schedule to store. */
export interface NewSchedule {
  readonly job: string;
  /** ID of the record that it belongs to; empty: the job declares it. */
  readonly key: string;
  readonly payload: unknown;
  readonly cron: string;
  readonly zone: string;
  readonly nextRunAt: Date | null;
}

const valuesOf = (tenantId: string, { job, key, payload, cron, zone, nextRunAt }: NewSchedule): unknown[] => [
  tenantId,
  job,
  key,
  JSON.stringify(payload),
  cron,
  zone,
  nextRunAt,
];

/** Writes a schedule of the transaction's tenant. */
export async function upsertSchedule(tx: Tx, schedule: NewSchedule): Promise<StoredSchedule> {
  const [row] = await tx.query<StoredSchedule>(
    `insert into arbiter.schedules as s (tenant_id, job, key, payload, cron, zone, next_run_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, job, key) do update set payload = excluded.payload, cron = excluded.cron,
       zone = excluded.zone, next_run_at = excluded.next_run_at
     returning ${runs.sql}`,
    valuesOf(tx.tenantId, schedule),
  );
  if (row === undefined) throw new Error('a schedule was not stored');
  return row;
}

/** Writes a schedule that a job declares, unless an equal one is stored; in a system transaction. */
export async function declareSchedule(tx: Tx, schedule: NewSchedule): Promise<void> {
  await tx.query(
    `insert into arbiter.schedules as s (tenant_id, job, key, payload, cron, zone, next_run_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, job, key) do update set payload = excluded.payload, cron = excluded.cron,
       zone = excluded.zone, next_run_at = excluded.next_run_at
     where (s.payload, s.cron, s.zone) is distinct from (excluded.payload, excluded.cron, excluded.zone)`,
    valuesOf(installation, schedule),
  );
}

export async function selectSchedule(tx: Tx, job: string, key: string): Promise<StoredSchedule | null> {
  const [row] = await select(tx, runs, 'from arbiter.schedules where tenant_id = $1 and job = $2 and key = $3', [
    tx.tenantId,
    job,
    key,
  ]);
  return row ?? null;
}

export async function deleteSchedule(tx: Tx, job: string, key: string): Promise<void> {
  await tx.query('delete from arbiter.schedules where tenant_id = $1 and job = $2 and key = $3', [
    tx.tenantId,
    job,
    key,
  ]);
}

/** A schedule with a due run. `dueAt` is the instant of that run. */
export type DueSchedule = Omit<RowOf<typeof dueRuns>, 'nextRunAt'> & { readonly dueAt: Date };

/** Locks schedules of these jobs that are due, the longest waiting first; passes over those that another has locked. */
export async function lockDueSchedules(tx: Tx, jobs: readonly string[], most: number): Promise<DueSchedule[]> {
  const rows = await select(
    tx,
    dueRuns,
    `from arbiter.schedules
     where next_run_at <= $1 and job = any ($2) order by next_run_at limit $3 for update skip locked`,
    [tx.now, jobs, most],
  );
  // The condition finds no schedule without a next run; the compiler doesn't know.
  return rows.flatMap(({ nextRunAt, ...row }) => (nextRunAt === null ? [] : [{ ...row, dueAt: nextRunAt }]));
}

const plannedRuns = columns(schedules, ['tenantId', 'job', 'key', 'cron', 'zone', 'nextRunAt']);

/** A schedule that is not due yet. */
export type PlannedSchedule = Omit<RowOf<typeof plannedRuns>, 'nextRunAt'> & { readonly nextRunAt: Date };

/** The last schedule that a scan has seen. */
export type SchedulePlace = Pick<PlannedSchedule, 'tenantId' | 'job' | 'key'>;

/** Schedules of these jobs that wait for a run ahead, in the order of their keys. */
export async function selectPlanned(
  tx: Tx,
  jobs: readonly string[],
  after: SchedulePlace | null,
  most: number,
): Promise<PlannedSchedule[]> {
  const { tenantId, job, key } = after ?? { tenantId: installation, job: '', key: '' };
  const rows = await select(
    tx,
    plannedRuns,
    `from arbiter.schedules
     where next_run_at > $1 and job = any ($2) and (tenant_id, job, key) > ($3, $4, $5)
     order by tenant_id, job, key limit $6`,
    [tx.now, jobs, tenantId, job, key, most],
  );
  return rows.flatMap(({ nextRunAt, ...row }) => (nextRunAt === null ? [] : [{ ...row, nextRunAt }]));
}

/** Brings a schedule's next run forward, unless it has moved since. */
export async function bringForward(tx: Tx, planned: PlannedSchedule, nextRunAt: Date): Promise<void> {
  await tx.query(
    `update arbiter.schedules set next_run_at = $4
     where tenant_id = $1 and job = $2 and key = $3 and next_run_at = $5`,
    [planned.tenantId, planned.job, planned.key, nextRunAt, planned.nextRunAt],
  );
}

/** Moves a locked schedule on: the run that was due is claimed. */
export async function moveOn(tx: Tx, due: DueSchedule, nextRunAt: Date | null): Promise<void> {
  await tx.query(
    `update arbiter.schedules set next_run_at = $4, last_run_at = $5 where tenant_id = $1 and job = $2 and key = $3`,
    [due.tenantId, due.job, due.key, nextRunAt, due.dueAt],
  );
}
