import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';

const scheduleColumns = columns(table('report_schedules'), [
  'id',
  'templateId',
  'name',
  'cronExpression',
  'timezone',
  'destinations',
  'enabled',
  'nextRunAt',
  'lastRunAt',
  'lastRunId',
  'createdAt',
  'updatedAt',
]);

export type ScheduleRow = RowOf<typeof scheduleColumns>;

/** The newest schedules, behind the one with this id; of one template, when it is named. */
export async function selectSchedules(
  tx: Tx,
  templateId: string | null,
  before: string | null,
  most: number | null,
): Promise<ScheduleRow[]> {
  return select(
    tx,
    scheduleColumns,
    `from arbiter.report_schedules where tenant_id = $1 and ($2::uuid is null or template_id = $2)
       and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [tx.tenantId, templateId, before, most],
  );
}

export async function countSchedules(tx: Tx, templateId: string | null): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.report_schedules
      where tenant_id = $1 and ($2::uuid is null or template_id = $2)`,
    [tx.tenantId, templateId],
  );
  return row?.count ?? 0;
}

/** Undefined for an ID that isn't a schedule of the tenant. `lock`: until the transaction ends. */
export async function selectSchedule(tx: Tx, id: string, lock = false): Promise<ScheduleRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(
    tx,
    scheduleColumns,
    `from arbiter.report_schedules where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
    [tx.tenantId, id],
  );
  return row;
}

/** Returns how many schedules should have run more than two minutes ago: nothing ticks, or the tick is behind. */
export async function countLate(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.report_schedules
      where tenant_id = $1 and enabled and next_run_at < $2::timestamptz - interval '2 minutes'`,
    [tx.tenantId, tx.now],
  );
  return row?.count ?? 0;
}

/** A schedule that is due, of any tenant. */
export interface DueReportSchedule {
  readonly tenantId: string;
  readonly id: string;
}

/** Returns what's due in all tenants, longest waiting first. Needs a system transaction. */
export async function selectDue(tx: Tx, now: Date, most: number): Promise<DueReportSchedule[]> {
  return tx.query<DueReportSchedule>(
    `select tenant_id as "tenantId", id from (
       select tenant_id, id, next_run_at, row_number() over (partition by tenant_id order by next_run_at, id) as place
         from arbiter.report_schedules where enabled and next_run_at <= $1) due
      order by place, next_run_at, tenant_id limit $2`,
    [now, most],
  );
}

/**
 * Returns the schedule, locked until the transaction ends; undefined
 * when it isn't due or another call has it.
 */
export async function claimSchedule(tx: Tx, id: string, now: Date): Promise<ScheduleRow | undefined> {
  const [row] = await select(
    tx,
    scheduleColumns,
    `from arbiter.report_schedules where tenant_id = $1 and id = $2 and enabled and next_run_at <= $3
      for update skip locked`,
    [tx.tenantId, id, now],
  );
  return row;
}

/** Moves a claimed schedule on. Without a run, what ran last stays. */
export async function moveOn(
  tx: Tx,
  id: string,
  nextRunAt: Date,
  run: { readonly id: string; readonly at: Date } | null,
): Promise<void> {
  await tx.query(
    `update arbiter.report_schedules set next_run_at = $3, last_run_at = coalesce($4, last_run_at),
       last_run_id = coalesce($5, last_run_id) where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, nextRunAt, run?.at ?? null, run?.id ?? null],
  );
}

const valuesOf = (tx: Tx, row: ScheduleRow): unknown[] => [
  tx.tenantId,
  row.id,
  row.name,
  row.cronExpression,
  row.timezone,
  uuidArray(row.destinations),
  row.enabled,
  row.nextRunAt,
  row.updatedAt,
];

export async function insertSchedule(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.query(
    `insert into arbiter.report_schedules (tenant_id, id, name, cron_expression, timezone, destinations, enabled, next_run_at,
       created_at, updated_at, template_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)`,
    [...valuesOf(tx, row), row.templateId],
  );
}

export async function updateSchedule(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.query(
    `update arbiter.report_schedules set name = $3, cron_expression = $4, timezone = $5, destinations = $6, enabled = $7,
       next_run_at = $8, updated_at = $9 where tenant_id = $1 and id = $2`,
    valuesOf(tx, row),
  );
}

export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.report_schedules where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}
