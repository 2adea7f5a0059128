import type { CheckResult, EvaluationResult, studyErrors, studyKinds, studyStatuses } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { Routing } from '../plans/index.ts';
import type { StoredBacktest } from './backtest/backtest-result.ts';
import type { StudyLane, StudySpec } from './study-kind.ts';

export interface StudyLoad {
  readonly engineUsP50: number | null;
  readonly engineUsP99: number | null;
}

interface NarrowStudy {
  kind: (typeof studyKinds)[number];
  status: (typeof studyStatuses)[number];
  error: (typeof studyErrors)[number] | null;
  spec: StudySpec;
  result: StoredBacktest | EvaluationResult | CheckResult | null;
  load: StudyLoad | null;
  routing: Routing | null;
}

const studies = table<'studies', NarrowStudy>('studies');
const shown = columns(studies, [
  'id',
  'kind',
  'flowId',
  'spec',
  'specHash',
  'candidateHash',
  'baseHash',
  'baseConfigVersion',
  'routing',
  'dataCut',
  'status',
  'error',
  'judged',
  'total',
  'isPrepared',
  'result',
  'load',
  'createdBy',
  'createdAt',
  'completedAt',
  'expiresAt',
]);

export type StudyRow = RowOf<typeof shown>;

const dayMs = 86_400_000;

export interface NewStudy
  extends Pick<StudyRow, 'id' | 'kind' | 'flowId' | 'spec' | 'specHash' | 'candidateHash' | 'baseHash' | 'routing'> {
  readonly baseConfigVersion: number;
  readonly keptDays: number;
}

/** Stores a queued study. False if the same question is queued or running. */
export async function insertStudy(tx: Tx, study: NewStudy): Promise<boolean> {
  const { id, kind, flowId, spec, specHash, candidateHash, baseHash, baseConfigVersion, routing, keptDays } = study;
  const rows = await tx.query(
    `insert into arbiter.studies (tenant_id, id, kind, flow_id, spec, spec_hash, candidate_hash, base_hash, base_config_version,
       data_cut, status, created_by, created_at, expires_at, routing)
     values ($1, $2, $3, $4, $5::json, $6, $7, $8, $9, $10, 'queued', $11, $10, $12, $13::json)
     on conflict (tenant_id, spec_hash) where status in ('queued', 'running') do nothing returning 1`,
    [
      tx.tenantId,
      ...[id, kind, flowId, JSON.stringify(spec), specHash, candidateHash, baseHash, baseConfigVersion, tx.now],
      tx.actor.name,
      new Date(tx.now.getTime() + keptDays * dayMs),
      routing && JSON.stringify(routing),
    ],
  );
  return rows.length > 0;
}

/** Returns the queued or running study of this question. */
export async function findOpenStudy(tx: Tx, specHash: Buffer): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from arbiter.studies where tenant_id = $1 and spec_hash = $2 and status in ('queued', 'running')`,
    [tx.tenantId, specHash],
  );
  return row?.id ?? null;
}

export async function countOpenStudies(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.studies where tenant_id = $1 and status in ('queued', 'running')`,
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

export async function findStudy(tx: Tx, id: string): Promise<StudyRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, shown, 'from arbiter.studies where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id.toLowerCase(),
  ]);
  return row ?? null;
}

export interface StudyFilter {
  readonly kind: string | null;
  readonly flowId: string | null;
}

const matches = `tenant_id = $1 and ($2::text is null or kind = $2) and ($3::uuid is null or flow_id = $3)`;

/** Newest first: ids are in order of creation. */
export const selectStudies = (tx: Tx, { kind, flowId }: StudyFilter, after: string | null, limit: number) =>
  select(
    tx,
    shown,
    `from arbiter.studies where ${matches} and ($4::uuid is null or id < $4) order by id desc limit $5`,
    [tx.tenantId, kind, flowId, after, limit],
  );

export async function countStudies(tx: Tx, { kind, flowId }: StudyFilter): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from arbiter.studies where ${matches}`,
    [tx.tenantId, kind, flowId],
  );
  return row?.total ?? 0;
}

/** Held by whoever starts or ends a study, so that the next one in the queue isn't overlooked. */
async function holdQueue(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.studies:' || $1, 0))`, [tx.tenantId]);
}

/** SQL for whether studies of a kind have the lane of checks. The index `studies_running` has the same expression. */
const isCheck = (kind: string): string => `(${kind} = 'check')`;

/**
 * Starts a queued study. A study that is already running is returned as it is, because its process may have ended. Null:
 * it has ended, or another one of the tenant is running in its lane.
 */
export async function takeStudy(tx: Tx, id: string): Promise<StudyRow | null> {
  await holdQueue(tx);
  await tx.query(
    `update arbiter.studies s set status = 'running'
      where tenant_id = $1 and id = $2 and status = 'queued'
        and not exists (
          select from arbiter.studies other
          where other.tenant_id = $1 and other.status = 'running' and ${isCheck('other.kind')} = ${isCheck('s.kind')})`,
    [tx.tenantId, id],
  );
  const row = await findStudy(tx, id);
  return row?.status === 'running' ? row : null;
}

/** Keeps other processes from selecting the records of a study until the transaction ends. False: one of them does. */
export async function keepSelecting(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.query<{ isFirst: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('arbiter.study:' || $1, 0)) as "isFirst"`,
    [id],
  );
  return row?.isFirst === true;
}

/** Records that the chunks of a study are stored. False if it has ended. */
export async function notePrepared(tx: Tx, id: string, total: number): Promise<boolean> {
  const rows = await tx.query(
    `update arbiter.studies set is_prepared = true, total = $3
      where tenant_id = $1 and id = $2 and status = 'running' returning 1`,
    [tx.tenantId, id, total],
  );
  return rows.length > 0;
}

export async function isRunning(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(`select from arbiter.studies where tenant_id = $1 and id = $2 and status = 'running'`, [
    tx.tenantId,
    id,
  ]);
  return rows.length > 0;
}

/** Locks a running study until the transaction ends. False if it has ended. */
export async function lockRunning(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `select from arbiter.studies where tenant_id = $1 and id = $2 and status = 'running' for update`,
    [tx.tenantId, id],
  );
  return rows.length > 0;
}

export async function addProgress(tx: Tx, id: string, decisions: number): Promise<void> {
  await tx.query('update arbiter.studies set judged = judged + $3 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    decisions,
  ]);
}

export type StudyEnd =
  | { readonly status: 'completed'; readonly result: string; readonly load: string | null }
  | { readonly status: 'failed'; readonly error: NonNullable<StudyRow['error']> }
  | { readonly status: 'cancelled' };

/** Ends a study that is queued or running, and returns its kind. Null if it has ended already. */
export async function endStudy(tx: Tx, id: string, end: StudyEnd): Promise<StudyRow['kind'] | null> {
  await holdQueue(tx);
  const [row] = await tx.query<Pick<StudyRow, 'kind'>>(
    `update arbiter.studies set status = $3, error = $4, result = $5::json, load = $6::json, completed_at = greatest($7, created_at)
      where tenant_id = $1 and id = $2 and status in ('queued', 'running') returning kind`,
    [
      tx.tenantId,
      ...[id, end.status, end.status === 'failed' ? end.error : null],
      ...(end.status === 'completed' ? [end.result, end.load] : [null, null]),
      tx.now,
    ],
  );
  return row?.kind ?? null;
}

/** Returns the study that has waited longest in a lane; null for none. */
export async function nextQueued(tx: Tx, lane: StudyLane): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from arbiter.studies where tenant_id = $1 and status = 'queued' and ${isCheck('kind')} = $2 order by id limit 1`,
    [tx.tenantId, lane === 'check'],
  );
  return row?.id ?? null;
}

/** Returns the plans of studies. They're stored as long as the study. */
export async function plansOfStudies(tx: Tx): Promise<readonly Buffer[]> {
  const rows = await tx.query<{ hash: Buffer }>(
    `select candidate_hash as hash from arbiter.studies where tenant_id = $1
     union select base_hash from arbiter.studies where tenant_id = $1 and base_hash is not null`,
    [tx.tenantId],
  );
  return rows.map(({ hash }) => hash);
}

const rowsPerSlice = 50;

/** Deletes expired studies with their chunks. True if there may be more. */
export async function expireStudies(tx: Tx): Promise<boolean> {
  const rows = await tx.query(
    `with due as (
       select id from arbiter.studies where tenant_id = $1 and expires_at <= $2 order by id limit $3)
     delete from arbiter.studies s using due where s.tenant_id = $1 and s.id = due.id returning 1`,
    [tx.tenantId, tx.now, rowsPerSlice],
  );
  return rows.length === rowsPerSlice;
}
