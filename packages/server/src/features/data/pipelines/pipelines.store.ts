import { type PipelineRunStatus, type PipelineTransform, pipelineResource } from '@arbiter/contract';
import { columns, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';
import type { JsonValue } from '../../catalogue/schemas/index.ts';

export interface Schedule {
  readonly cronExpression: string;
  readonly timezone: string;
}

/** Types of JSON columns. */
type StoredPipeline = {
  source: Readonly<Record<string, unknown>>;
  transforms: readonly PipelineTransform[];
  upsertKey: readonly string[];
  schedule: Schedule | null;
  executionConfig: { readonly batchSize: number };
  nextCursor: JsonValue | null;
  lastRunStatus: PipelineRunStatus | null;
};

export type PipelineRow = RecordRow<typeof pipelineResource, StoredPipeline>;

/** Runs are data of the tenant, not its configuration: they are in no audit row of the pipeline. */
export const pipelineSpec = recordSpec<typeof pipelineResource, StoredPipeline>(pipelineResource, {
  unaudited: ['nextRunAt', 'lastRunAt', 'lastRunStatus', 'runCount', 'nextCursor'],
});

const runColumns = columns(pipelineSpec, [
  'id',
  'name',
  'status',
  'connectorId',
  'schemaId',
  'source',
  'transforms',
  'loadMode',
  'upsertKey',
  'onRowError',
  'allowEmpty',
  'schedule',
  'executionConfig',
  'nextRunAt',
  'nextCursor',
]);

/** What starting a run reads of a pipeline. */
export type StartablePipeline = Pick<
  PipelineRow,
  | 'id'
  | 'name'
  | 'status'
  | 'connectorId'
  | 'schemaId'
  | 'source'
  | 'transforms'
  | 'loadMode'
  | 'upsertKey'
  | 'onRowError'
  | 'allowEmpty'
  | 'schedule'
  | 'executionConfig'
  | 'nextRunAt'
  | 'nextCursor'
>;

/** Locks a pipeline. Null for an id that names none of the tenant. */
export async function lockPipeline(tx: Tx, id: string): Promise<StartablePipeline | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, runColumns, 'from arbiter.pipelines where tenant_id = $1 and id = $2 for update', [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** A pipeline that is due, of any tenant. */
export interface DuePipeline {
  readonly tenantId: string;
  readonly id: string;
}

/** Returns what is due in all tenants, longest waiting first. Needs a system transaction. */
export async function selectDuePipelines(tx: Tx, now: Date, most: number): Promise<DuePipeline[]> {
  return tx.query<DuePipeline>(
    `select tenant_id as "tenantId", id from (
       select tenant_id, id, next_run_at, row_number() over (partition by tenant_id order by next_run_at, id) as place
         from arbiter.pipelines where next_run_at <= $1) due
      order by place, next_run_at, tenant_id limit $2`,
    [now, most],
  );
}

/** Returns the pipeline, locked; null when it is no longer due or another call has it. */
export async function claimPipeline(tx: Tx, id: string, now: Date): Promise<StartablePipeline | null> {
  const [row] = await select(
    tx,
    runColumns,
    'from arbiter.pipelines where tenant_id = $1 and id = $2 and next_run_at <= $3 for update skip locked',
    [tx.tenantId, id, now],
  );
  return row ?? null;
}

export async function storeNextRun(tx: Tx, id: string, nextRunAt: Date | null): Promise<void> {
  await tx.query('update arbiter.pipelines set next_run_at = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    nextRunAt,
  ]);
}

/** Counts a new run of a locked pipeline. Returns its number. */
export async function noteNewRun(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(
    `update arbiter.pipelines set run_count = run_count + 1, last_run_at = $3, last_run_status = 'pending'
      where tenant_id = $1 and id = $2 returning run_count as number`,
    [tx.tenantId, id, tx.now],
  );
  if (row === undefined) throw new Error('the pipeline is locked, so it exists');
  return row.number;
}

export async function noteRunStatus(tx: Tx, id: string, status: PipelineRunStatus): Promise<void> {
  await tx.query('update arbiter.pipelines set last_run_status = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    status,
  ]);
}

/** Stores where the next run starts. */
export async function storeNextCursor(tx: Tx, id: string, cursor: JsonValue | null): Promise<void> {
  await tx.query('update arbiter.pipelines set next_cursor = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    cursor === null ? null : JSON.stringify(cursor),
  ]);
}

/** Pipelines that aren't archived and read from this connector. */
export async function pipelinesNamingConnector(
  tx: Tx,
  connectorId: string,
): Promise<{ readonly id: string; readonly name: string }[]> {
  return select(
    tx,
    columns(pipelineSpec, ['id', 'name']),
    `from arbiter.pipelines where tenant_id = $1 and connector_id = $2 and status <> 'archived' order by id`,
    [tx.tenantId, connectorId],
  );
}

/** Pipelines that load into this column of a schema by name: as the key of an upsert, or as the result of a transform. */
export async function pipelinesNamingField(
  tx: Tx,
  { schemaId, name }: { readonly schemaId: string; readonly name: string },
): Promise<{ readonly id: string; readonly name: string }[]> {
  return select(
    tx,
    columns(pipelineSpec, ['id', 'name']),
    `from arbiter.pipelines where tenant_id = $1 and schema_id = $2
       and (upsert_key ? $3 or jsonb_path_exists(transforms,
         '$[*] ? (@.column == $name || @.into == $name || @.into[*] == $name || @.columns[*] == $name || @.map.* == $name)',
         jsonb_build_object('name', $3::text))) order by id`,
    [tx.tenantId, schemaId, name],
  );
}

/** Number of pipelines that are more than two minutes late. */
export async function countLatePipelines(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.pipelines
      where tenant_id = $1 and next_run_at < $2::timestamptz - interval '2 minutes'`,
    [tx.tenantId, tx.now],
  );
  return row?.count ?? 0;
}
