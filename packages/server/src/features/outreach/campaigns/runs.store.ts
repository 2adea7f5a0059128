import type { CampaignCaps, CampaignRunError, CampaignTrigger, FileConfig } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { ItemCounts } from './chunks/caps.rules.ts';

const runs = table<
  'campaign_runs',
  {
    errorCode: CampaignRunError | null;
    frequencyCaps: CampaignCaps | null;
    fileConfig: FileConfig | null;
    offerCounts: ItemCounts;
    channelCounts: ItemCounts;
    triggeredBy: CampaignTrigger;
  }
>('campaign_runs');

const runColumns = columns(runs, [
  'id',
  'campaignId',
  'runNumber',
  'triggeredBy',
  'triggeredByUserId',
  'status',
  'errorCode',
  'errorMessage',
  'decisionFlowId',
  'decisionFlowVersion',
  'segmentId',
  'channelIds',
  'frequencyCaps',
  'fileConfig',
  'deliveryGuarantee',
  'createdAt',
  'startedAt',
  'completedAt',
  'token',
  'totalCustomers',
  'queuedPlace',
  'nextPlace',
  'decidedCustomers',
  'emptyCustomers',
  'failedCustomers',
  'skippedCustomers',
  'skippedByCaps',
  'totalItems',
  'offerCounts',
  'channelCounts',
  'isCapped',
  'filePath',
]);

export type RunRow = RowOf<typeof runColumns>;

/** What a new run takes over from its campaign. */
export type NewRun = Pick<
  RunRow,
  | 'id'
  | 'campaignId'
  | 'runNumber'
  | 'triggeredBy'
  | 'triggeredByUserId'
  | 'decisionFlowId'
  | 'segmentId'
  | 'channelIds'
  | 'frequencyCaps'
  | 'fileConfig'
  | 'deliveryGuarantee'
>;

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  await tx.query(
    `insert into arbiter.campaign_runs (tenant_id, id, campaign_id, run_number, triggered_by, triggered_by_user_id, status,
       decision_flow_id, segment_id, channel_ids, frequency_caps, file_config, delivery_guarantee, created_at)
     values ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $9, $10, $11, $12, $13)`,
    [
      ...[tx.tenantId, run.id, run.campaignId, run.runNumber, run.triggeredBy, run.triggeredByUserId],
      ...[run.decisionFlowId, run.segmentId, uuidArray(run.channelIds)],
      run.frequencyCaps === null ? null : JSON.stringify(run.frequencyCaps),
      run.fileConfig === null ? null : JSON.stringify(run.fileConfig),
      ...[run.deliveryGuarantee, tx.now],
    ],
  );
}

/** Returns null for an ID that isn't a run of the tenant. `lock`: until the transaction ends. */
export async function selectRun(tx: Tx, id: string, lock = false): Promise<RunRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(
    tx,
    runColumns,
    `from arbiter.campaign_runs where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** Returns the newest runs of a campaign. */
export async function selectRuns(tx: Tx, campaignId: string, most: number): Promise<RunRow[]> {
  return select(
    tx,
    runColumns,
    'from arbiter.campaign_runs where tenant_id = $1 and campaign_id = $2 order by run_number desc limit $3',
    [tx.tenantId, campaignId, most],
  );
}

const latestColumns = columns(runs, ['id', 'campaignId', 'runNumber', 'status', 'startedAt']);

/** Returns the newest run of each campaign, by campaign. */
export async function selectLatestRuns(
  tx: Tx,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, RowOf<typeof latestColumns>>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await select(
    tx,
    latestColumns,
    `from arbiter.campaign_runs where tenant_id = $1 and campaign_id = any($2::uuid[])
       and run_number = (select max(other.run_number) from arbiter.campaign_runs other
         where other.tenant_id = $1 and other.campaign_id = campaign_runs.campaign_id)`,
    [tx.tenantId, uuidArray(campaignIds)],
  );
  return new Map(rows.map((row) => [row.campaignId, row]));
}

/** Returns the ids of a campaign's runs. */
export async function selectRunIds(tx: Tx, campaignId: string): Promise<string[]> {
  const rows = await select(
    tx,
    columns(runs, ['id']),
    'from arbiter.campaign_runs where tenant_id = $1 and campaign_id = $2',
    [tx.tenantId, campaignId],
  );
  return rows.map(({ id }) => id);
}

/** Returns the oldest run of a campaign that hasn't ended; null: all have. */
export async function selectOpenRun(tx: Tx, campaignId: string): Promise<{ readonly id: string } | null> {
  const [row] = await select(
    tx,
    columns(runs, ['id']),
    `from arbiter.campaign_runs where tenant_id = $1 and campaign_id = $2 and status in ('pending', 'running')
      order by run_number limit 1`,
    [tx.tenantId, campaignId],
  );
  return row ?? null;
}

/** Takes a run: chunks of whoever had it before can no longer commit. */
export async function raiseToken(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.query<{ token: number }>(
    'update arbiter.campaign_runs set token = token + 1 where tenant_id = $1 and id = $2 returning token',
    [tx.tenantId, id],
  );
  if (row === undefined) throw new Error('the run is locked, so it exists');
  return row.token;
}

export async function markStarted(
  tx: Tx,
  id: string,
  start: { readonly flowVersion: number; readonly channelIds: readonly string[]; readonly totalCustomers: number },
): Promise<void> {
  await tx.query(
    `update arbiter.campaign_runs set status = 'running', started_at = $3, decision_flow_version = $4, channel_ids = $5,
       total_customers = $6 where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, tx.now, start.flowVersion, uuidArray(start.channelIds), start.totalCustomers],
  );
}

/** How a run ends. */
export interface RunEnd {
  readonly status: 'completed' | 'completed_with_errors' | 'failed';
  readonly error: { readonly code: CampaignRunError; readonly message: string } | null;
}

/** Ends a locked run. */
export async function markEnded(tx: Tx, id: string, { status, error }: RunEnd): Promise<void> {
  await tx.query(
    `update arbiter.campaign_runs set status = $3, error_code = $4, error_message = $5,
       completed_at = greatest($6::timestamptz, started_at, created_at)
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, status, error?.code ?? null, error?.message ?? null, tx.now],
  );
}

export async function storeFilePath(tx: Tx, id: string, path: string): Promise<void> {
  await tx.query('update arbiter.campaign_runs set file_path = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    path,
  ]);
}

const rowsPerSlice = 20;

/** Deletes runs that were created this many days ago and have ended. */
export async function expireRuns(
  tx: Tx,
  days: number,
): Promise<{ readonly ids: readonly string[]; readonly more: boolean }> {
  const deleted = await tx.query<{ id: string }>(
    `delete from arbiter.campaign_runs where tenant_id = $1 and id in (
       select id from arbiter.campaign_runs
        where tenant_id = $1 and created_at < $2 and completed_at is not null order by created_at limit $3) returning id`,
    [tx.tenantId, new Date(tx.now.getTime() - days * 86_400_000), rowsPerSlice],
  );
  return { ids: deleted.map(({ id }) => id), more: deleted.length === rowsPerSlice };
}
