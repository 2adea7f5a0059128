import type {
  ReportArtifactFacts,
  ReportDelivery,
  ReportFormat,
  ReportNarrative,
  ReportRunStatus,
  ReportSectionData,
} from '@arbiter/contract';
import { columns, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type Tx, textArray, uuidArray } from '../../../db/index.ts';
import type { Removed } from '../../../jobs/index.ts';
import { isUuid } from '../../../platform/ids.ts';

const runs = table<
  'report_runs',
  {
    status: ReportRunStatus;
    formats: ReportFormat[];
    deliveryResults: readonly ReportDelivery[];
    sectionsData: readonly ReportSectionData[];
    narrativeOutput: ReportNarrative | null;
  }
>('report_runs');

const runColumns = columns(runs, [
  'id',
  'templateId',
  'templateName',
  'scheduleId',
  'status',
  'triggeredBy',
  'formats',
  'destinations',
  'startedAt',
  'begunAt',
  'completedAt',
  'durationMs',
  'error',
  'deliveryResults',
]);
const figureColumns = columns(runs, ['sectionsData', 'narrativeOutput']);
const wholeColumns = selectList(runColumns, figureColumns);

/** A run without its figures. */
export type RunRow = RowOf<typeof runColumns>;
/** A run with its figures. */
export type WholeRun = RowOf<typeof wholeColumns>;

export async function insertRun(
  tx: Tx,
  row: Pick<
    RunRow,
    'id' | 'templateId' | 'templateName' | 'scheduleId' | 'triggeredBy' | 'formats' | 'destinations' | 'begunAt'
  >,
  aliveUntil: Date,
): Promise<void> {
  await tx.query(
    `insert into arbiter.report_runs (tenant_id, id, template_id, template_name, schedule_id, status, triggered_by, formats,
       destinations, started_at, begun_at, delivery_results, sections_data)
     values ($1, $2, $3, $4, $5, 'running', $6, $7, $8, $9, $10, '[]', '[]')`,
    [
      tx.tenantId,
      row.id,
      row.templateId,
      row.templateName,
      row.scheduleId,
      row.triggeredBy,
      textArray(row.formats),
      uuidArray(row.destinations),
      tx.now,
      row.begunAt,
    ],
  );
  await tx.query('insert into arbiter.report_leases (tenant_id, run_id, alive_until) values ($1, $2, $3)', [
    tx.tenantId,
    row.id,
    aliveUntil,
  ]);
}

/** A page, newest first, with how many there are; without figures and files. */
export async function selectRuns(
  tx: Tx,
  templateId: string | null,
  limit: number,
  offset: number,
): Promise<{ readonly rows: RunRow[]; readonly total: number }> {
  const where = 'from arbiter.report_runs where tenant_id = $1 and ($2::uuid is null or template_id = $2)';
  const [count] = await tx.query<{ total: number }>(`select count(*)::int as total ${where}`, [
    tx.tenantId,
    templateId,
  ]);
  const rows = await select(tx, runColumns, `${where} order by id desc limit $3 offset $4`, [
    tx.tenantId,
    templateId,
    limit,
    offset,
  ]);
  return { rows, total: count?.total ?? 0 };
}

/** Undefined for an ID that isn't a run of the tenant. */
export async function selectRun(tx: Tx, id: string): Promise<WholeRun | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(tx, wholeColumns, 'from arbiter.report_runs where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/** The same without figures, held until the transaction ends. */
export async function lockRun(tx: Tx, id: string): Promise<RunRow | undefined> {
  const [row] = await select(tx, runColumns, 'from arbiter.report_runs where tenant_id = $1 and id = $2 for update', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/** Returns the longest-waiting run, locked until the transaction ends; undefined when none waits. */
export async function lockWaiting(tx: Tx): Promise<RunRow | undefined> {
  const [row] = await select(
    tx,
    runColumns,
    `from arbiter.report_runs where tenant_id = $1 and status = 'running' and begun_at is null order by id limit 1
      for update skip locked`,
    [tx.tenantId],
  );
  return row;
}

/** Whether a run waits for a process to write it. */
export async function isOneWaiting(tx: Tx): Promise<boolean> {
  const rows = await tx.query(
    `select from arbiter.report_runs where tenant_id = $1 and status = 'running' and begun_at is null limit 1`,
    [tx.tenantId],
  );
  return rows.length > 0;
}

/** Returns the runs in progress with their jobs. Leaves out those that take too long, because they're lost. */
export async function selectAtWork(tx: Tx): Promise<{ readonly runId: string; readonly jobId: string }[]> {
  return tx.query(
    `select run_id as "runId", job_id as "jobId" from arbiter.report_leases
      where tenant_id = $1 and job_id is not null and alive_until > $2`,
    [tx.tenantId, tx.now],
  );
}

/** Records that a job has begun to write the run, and its deadline. */
export async function beginRun(tx: Tx, id: string, jobId: string, aliveUntil: Date): Promise<void> {
  await tx.query('update arbiter.report_runs set begun_at = $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    tx.now,
  ]);
  await tx.query(
    'update arbiter.report_leases set job_id = $3, alive_until = $4 where tenant_id = $1 and run_id = $2',
    [tx.tenantId, id, jobId, aliveUntil],
  );
}

const endLease = (tx: Tx, id: string) =>
  tx.query('delete from arbiter.report_leases where tenant_id = $1 and run_id = $2', [tx.tenantId, id]);

/** The outcome of a written run. */
export interface WrittenRun {
  readonly status: 'completed' | 'completed_with_errors';
  readonly durationMs: number;
  readonly sectionsData: readonly ReportSectionData[];
  readonly narrativeOutput: ReportNarrative | null;
  readonly deliveryResults: readonly ReportDelivery[];
}

/** Stores the figures. False when the run is over already: another call has given it up. */
export async function completeRun(tx: Tx, id: string, written: WrittenRun): Promise<boolean> {
  const rows = await tx.query(
    `update arbiter.report_runs set status = $3, completed_at = $4, duration_ms = $5, sections_data = $6::jsonb,
       narrative_output = $7::jsonb, delivery_results = $8::jsonb
      where tenant_id = $1 and id = $2 and status = 'running' returning 1`,
    [
      tx.tenantId,
      id,
      written.status,
      tx.now,
      written.durationMs,
      JSON.stringify(written.sectionsData),
      written.narrativeOutput === null ? null : JSON.stringify(written.narrativeOutput),
      JSON.stringify(written.deliveryResults),
    ],
  );
  await endLease(tx, id);
  return rows.length > 0;
}

/** False when the run is over already. */
export async function failRun(tx: Tx, id: string, error: string): Promise<boolean> {
  const rows = await tx.query(
    `update arbiter.report_runs set status = 'failed', error = $3, completed_at = $4,
       duration_ms = least(2147483647, greatest(0, extract(epoch from $4::timestamptz - started_at) * 1000))::int
      where tenant_id = $1 and id = $2 and status = 'running' returning 1`,
    [tx.tenantId, id, error, tx.now],
  );
  await endLease(tx, id);
  return rows.length > 0;
}

/** A run of any tenant. */
export interface LostRun {
  readonly tenantId: string;
  readonly id: string;
}

/** Runs that should be over, of all tenants; in a system transaction. */
export async function selectLost(tx: Tx, now: Date, most: number): Promise<LostRun[]> {
  return tx.query<LostRun>(
    `select tenant_id as "tenantId", run_id as id from arbiter.report_leases where alive_until < $1
      order by alive_until, tenant_id, run_id limit $2`,
    [now, most],
  );
}

/** Notes the result of deliveries. */
export async function updateDeliveries(
  tx: Tx,
  id: string,
  status: ReportRunStatus,
  results: readonly ReportDelivery[],
): Promise<void> {
  await tx.query(
    'update arbiter.report_runs set status = $3, delivery_results = $4::jsonb where tenant_id = $1 and id = $2',
    [tx.tenantId, id, status, JSON.stringify(results)],
  );
}

const artifactFacts = columns(table<'report_artifacts', { format: ReportFormat }>('report_artifacts'), [
  'runId',
  'format',
  'mimeType',
  'fileName',
  'bytes',
]);

/** What files runs have, by run. */
export async function selectArtifactFacts(
  tx: Tx,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ReportArtifactFacts[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await select(
    tx,
    artifactFacts,
    'from arbiter.report_artifacts where tenant_id = $1 and run_id = any($2::uuid[]) order by run_id, format',
    [tx.tenantId, uuidArray(runIds)],
  );
  const facts = Map.groupBy(rows, ({ runId }) => runId);
  return new Map([...facts].map(([id, list]) => [id, list.map(({ runId: _run, ...fact }) => fact)]));
}

/** A file with its bytes. */
export interface StoredArtifact extends ReportArtifactFacts {
  readonly content: Buffer;
}

/** The files of a run, or the one of a format. */
export async function selectArtifacts(tx: Tx, runId: string, format: string | null): Promise<StoredArtifact[]> {
  if (!isUuid(runId)) return [];
  return tx.query<StoredArtifact>(
    `select format, mime_type as "mimeType", file_name as "fileName", bytes, content from arbiter.report_artifacts
      where tenant_id = $1 and run_id = $2 and ($3::text is null or format = $3) order by format`,
    [tx.tenantId, runId, format],
  );
}

export async function insertArtifact(
  tx: Tx,
  runId: string,
  artifact: Pick<StoredArtifact, 'format' | 'mimeType' | 'fileName' | 'content'>,
): Promise<void> {
  await tx.query(
    `insert into arbiter.report_artifacts (tenant_id, run_id, format, mime_type, file_name, bytes, content)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tx.tenantId,
      runId,
      artifact.format,
      artifact.mimeType,
      artifact.fileName,
      artifact.content.length,
      artifact.content,
    ],
  );
}

const runsPerSlice = 200;

/** Deletes runs that were started more than this many days ago, with their files. */
export async function expireRuns(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select id from arbiter.report_runs
        where tenant_id = $1 and started_at < $2::timestamptz - make_interval(days => $3) order by id limit $4),
     gone as (delete from arbiter.report_runs r using due where r.tenant_id = $1 and r.id = due.id returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, tx.now, days, runsPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows === runsPerSlice };
}
