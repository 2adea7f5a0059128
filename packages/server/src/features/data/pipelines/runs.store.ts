import type {
  LoadMode,
  PipelineProgress,
  PipelineRunStatus,
  PipelineTransform,
  PipelineTrigger,
} from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { JsonValue } from '../../catalogue/schemas/index.ts';

/** What a run takes over from its pipeline. */
export interface RunSettings {
  readonly source: Readonly<Record<string, unknown>>;
  readonly transforms: readonly PipelineTransform[];
  readonly loadMode: LoadMode;
  readonly upsertKey: readonly string[];
  readonly onRowError: 'skip' | 'fail';
  readonly allowEmpty: boolean;
  readonly batchSize: number;
  /** Where the run begins in its source; null: at the start. */
  readonly cursor: JsonValue | null;
}

export type RowProblemEntry = PipelineProgress['validationErrors'][number];
export type LogEntry = PipelineProgress['log'][number];

const runs = table<
  'pipeline_runs',
  {
    status: PipelineRunStatus;
    triggeredBy: PipelineTrigger;
    settings: RunSettings;
    sourceCursor: JsonValue | null;
    rowsIn: number;
    rowsOut: number;
    skippedRows: number;
    failedRows: number;
    rowProblems: readonly RowProblemEntry[];
    log: readonly LogEntry[];
  }
>('pipeline_runs');

const runColumns = columns(runs, [
  'id',
  'pipelineId',
  'runNumber',
  'triggeredBy',
  'status',
  'errorCode',
  'errorMessage',
  'connectorId',
  'schemaId',
  'settings',
  'token',
  'sourceCursor',
  'rowsIn',
  'rowsOut',
  'skippedRows',
  'failedRows',
  'rowProblems',
  'log',
  'createdAt',
  'startedAt',
  'completedAt',
]);

export type RunRow = RowOf<typeof runColumns>;

export type NewRun = Pick<
  RunRow,
  'id' | 'pipelineId' | 'runNumber' | 'triggeredBy' | 'connectorId' | 'schemaId' | 'settings' | 'sourceCursor'
>;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
/** Counts beyond 32 bits arrive as text. */
const counted = (row: RunRow): RunRow => ({
  ...row,
  ...{ rowsIn: Number(row.rowsIn), rowsOut: Number(row.rowsOut) },
  ...{ skippedRows: Number(row.skippedRows), failedRows: Number(row.failedRows) },
});

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  await tx.query(
    `insert into arbiter.pipeline_runs
       (tenant_id, id, pipeline_id, run_number, triggered_by, status, connector_id, schema_id, settings, source_cursor, created_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9, $10)`,
    [
      ...[tx.tenantId, run.id, run.pipelineId, run.runNumber, run.triggeredBy, run.connectorId, run.schemaId],
      ...[json(run.settings), json(run.sourceCursor), tx.now],
    ],
  );
}

/** Returns null for an ID that isn't a run of the tenant. `lock`: until the transaction ends. */
export async function selectRun(tx: Tx, id: string, lock = false): Promise<RunRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(
    tx,
    runColumns,
    `from arbiter.pipeline_runs where tenant_id = $1 and id = $2${lock ? ' for update' : ''}`,
    [tx.tenantId, id],
  );
  return row === undefined ? null : counted(row);
}

/** Returns runs of a pipeline before a number, newest first, and the number of all. */
export async function selectRuns(
  tx: Tx,
  pipelineId: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ readonly rows: RunRow[]; readonly total: number }> {
  const rows = await select(
    tx,
    runColumns,
    `from arbiter.pipeline_runs where tenant_id = $1 and pipeline_id = $2 and ($3::int is null or run_number < $3)
      order by run_number desc limit $4`,
    [tx.tenantId, pipelineId, before, limit],
  );
  const [count] = await tx.query<{ total: number }>(
    'select count(*)::int as total from arbiter.pipeline_runs where tenant_id = $1 and pipeline_id = $2',
    [tx.tenantId, pipelineId],
  );
  return { rows: rows.map(counted), total: count?.total ?? 0 };
}

/** Whether a pipeline has a run that hasn't ended. */
export async function hasOpenRun(tx: Tx, pipelineId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from arbiter.pipeline_runs
      where tenant_id = $1 and pipeline_id = $2 and status in ('pending', 'running') limit 1`,
    [tx.tenantId, pipelineId],
  );
  return rows.length > 0;
}

/** Takes a locked run: batches of whoever had it before can no longer commit. */
export async function markTaken(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update arbiter.pipeline_runs set token = token + 1, status = 'running', started_at = coalesce(started_at, $3)
      where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, tx.now],
  );
}

/** What a run has done so far. */
export type RunProgress = Pick<
  RunRow,
  'sourceCursor' | 'rowsIn' | 'rowsOut' | 'skippedRows' | 'failedRows' | 'rowProblems' | 'log'
>;

/** Stores the progress of a locked run. */
export async function storeProgress(tx: Tx, id: string, progress: RunProgress): Promise<void> {
  await tx.query(
    `update arbiter.pipeline_runs set source_cursor = $3, rows_in = $4, rows_out = $5, skipped_rows = $6, failed_rows = $7,
       row_problems = $8, log = $9 where tenant_id = $1 and id = $2`,
    [
      ...[tx.tenantId, id, json(progress.sourceCursor), progress.rowsIn, progress.rowsOut, progress.skippedRows],
      ...[progress.failedRows, json(progress.rowProblems), json(progress.log)],
    ],
  );
}

/** How a run ends. */
export interface RunEnd {
  readonly status: Exclude<PipelineRunStatus, 'pending' | 'running'>;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Ends a locked run. */
export async function markEnded(tx: Tx, id: string, { status, error }: RunEnd): Promise<void> {
  await tx.query(
    `update arbiter.pipeline_runs set status = $3, error_code = $4, error_message = $5,
       completed_at = greatest($6::timestamptz, started_at, created_at)
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, status, error?.code ?? null, error?.message ?? null, tx.now],
  );
}

const rowsPerSlice = 100;

/** Deletes one slice of the runs that were created this many days ago and have ended. */
export async function expireRuns(tx: Tx, days: number): Promise<{ readonly rows: number; readonly more: boolean }> {
  const deleted = await tx.query(
    `delete from arbiter.pipeline_runs where tenant_id = $1 and id in (
       select id from arbiter.pipeline_runs
        where tenant_id = $1 and created_at < $2 and completed_at is not null order by created_at limit $3) returning id`,
    [tx.tenantId, new Date(tx.now.getTime() - days * 86_400_000), rowsPerSlice],
  );
  return { rows: deleted.length, more: deleted.length === rowsPerSlice };
}
