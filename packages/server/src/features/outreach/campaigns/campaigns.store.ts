import type { CampaignCaps, FileConfig } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';

const campaigns = table<'campaigns', { frequencyCaps: CampaignCaps | null; fileConfig: FileConfig | null }>(
  'campaigns',
);

const campaignColumns = columns(campaigns, [
  'id',
  'tenantId',
  'name',
  'description',
  'status',
  'decisionFlowId',
  'segmentId',
  'scheduleType',
  'scheduleDayOfWeek',
  'scheduleDayOfMonth',
  'scheduleTime',
  'scheduleTimezone',
  'scheduleCron',
  'frequencyCaps',
  'fileConfig',
  'channelIds',
  'deliveryGuarantee',
  'nextRunAt',
  'lastSkipAt',
  'lastSkipReason',
  'runCount',
  'createdAt',
  'updatedAt',
]);

export type CampaignRow = RowOf<typeof campaignColumns>;

/** Returns one page, newest first, and the number of all. */
export async function selectCampaigns(
  tx: Tx,
  { status, limit, offset }: { readonly status: string | null; readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: CampaignRow[]; readonly total: number }> {
  const where = 'from arbiter.campaigns where tenant_id = $1 and ($2::text is null or status = $2)';
  const [count] = await tx.query<{ total: number }>(`select count(*)::int as total ${where}`, [tx.tenantId, status]);
  const rows = await select(tx, campaignColumns, `${where} order by id desc limit $3 offset $4`, [
    ...[tx.tenantId, status],
    ...[limit, offset],
  ]);
  return { rows, total: count?.total ?? 0 };
}

/** Returns null for an ID that isn't a campaign of the tenant. `lock`: until the transaction ends. */
export async function selectCampaign(tx: Tx, id: string, lock = false): Promise<CampaignRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(
    tx,
    campaignColumns,
    `from arbiter.campaigns where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const valuesOf = (tx: Tx, row: CampaignRow): unknown[] => [
  ...[tx.tenantId, row.id, row.name, row.description, row.status, row.decisionFlowId, row.segmentId, row.scheduleType],
  ...[row.scheduleDayOfWeek, row.scheduleDayOfMonth, row.scheduleTime, row.scheduleTimezone, row.scheduleCron],
  ...[json(row.frequencyCaps), json(row.fileConfig), uuidArray(row.channelIds), row.deliveryGuarantee, row.nextRunAt],
  row.updatedAt,
];

export async function insertCampaign(tx: Tx, row: CampaignRow): Promise<void> {
  await tx.query(
    `insert into arbiter.campaigns (tenant_id, id, name, description, status, decision_flow_id, segment_id, schedule_type,
       schedule_day_of_week, schedule_day_of_month, schedule_time, schedule_timezone, schedule_cron, frequency_caps,
       file_config, channel_ids, delivery_guarantee, next_run_at, updated_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19)`,
    valuesOf(tx, row),
  );
}

export async function updateCampaign(tx: Tx, row: CampaignRow): Promise<void> {
  await tx.query(
    `update arbiter.campaigns set name = $3, description = $4, status = $5, decision_flow_id = $6, segment_id = $7,
       schedule_type = $8, schedule_day_of_week = $9, schedule_day_of_month = $10, schedule_time = $11,
       schedule_timezone = $12, schedule_cron = $13, frequency_caps = $14, file_config = $15, channel_ids = $16,
       delivery_guarantee = $17, next_run_at = $18, updated_at = $19
     where tenant_id = $1 and id = $2`,
    valuesOf(tx, row),
  );
}

/** Deletes a campaign with its runs. */
export async function deleteCampaign(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from arbiter.campaigns where tenant_id = $1 and id = $2', [tx.tenantId, id]);
}

/** Campaigns that aren't archived and name this segment. They name it by id, so none has one by its name. */
export async function selectNamingSegment(
  tx: Tx,
  segmentId: string,
): Promise<{ readonly id: string; readonly name: string }[]> {
  if (!isUuid(segmentId)) return [];
  return select(
    tx,
    columns(campaigns, ['id', 'name']),
    `from arbiter.campaigns where tenant_id = $1 and segment_id = $2 and status <> 'archived' order by id`,
    [tx.tenantId, segmentId],
  );
}

/** A campaign that is due, of any tenant. */
export interface DueCampaign {
  readonly tenantId: string;
  readonly id: string;
}

/** Returns what is due in all tenants, longest waiting first. Needs a system transaction. */
export async function selectDueCampaigns(tx: Tx, now: Date, most: number): Promise<DueCampaign[]> {
  return tx.query<DueCampaign>(
    `select tenant_id as "tenantId", id from (
       select tenant_id, id, next_run_at, row_number() over (partition by tenant_id order by next_run_at, id) as place
         from arbiter.campaigns where next_run_at <= $1) due
      order by place, next_run_at, tenant_id limit $2`,
    [now, most],
  );
}

/** Returns the campaign, locked; null when it is no longer due or another call has it. */
export async function claimCampaign(tx: Tx, id: string, now: Date): Promise<CampaignRow | null> {
  const [row] = await select(
    tx,
    campaignColumns,
    `from arbiter.campaigns where tenant_id = $1 and id = $2 and next_run_at <= $3 for update skip locked`,
    [tx.tenantId, id, now],
  );
  return row ?? null;
}

/** Moves a claimed campaign on. `skippedAt`: the instant of a run that was left out. */
export async function moveOn(tx: Tx, id: string, nextRunAt: Date | null, skippedAt: Date | null): Promise<void> {
  await tx.query(
    `update arbiter.campaigns set next_run_at = $3, last_skip_at = coalesce($4, last_skip_at),
       last_skip_reason = case when $4::timestamptz is null then last_skip_reason else 'run_in_progress' end
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, nextRunAt, skippedAt],
  );
}

/** Returns the number of a locked campaign's next run. */
export async function nextRunNumber(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(
    `update arbiter.campaigns set run_count = run_count + 1 where tenant_id = $1 and id = $2
     returning run_count as number`,
    [tx.tenantId, id],
  );
  if (row === undefined) throw new Error('the campaign is locked, so it exists');
  return row.number;
}
