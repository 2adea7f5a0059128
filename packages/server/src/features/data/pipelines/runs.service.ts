import {
  type Pagination,
  type PipelineProgress,
  type PipelineRun,
  type PipelineRunCreated,
  type PipelineTrigger,
  pageSize,
  pipelineRunPage,
} from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { endRun } from './end-run.service.ts';
import { lockPipeline, noteNewRun, pipelineSpec, type StartablePipeline } from './pipelines.store.ts';
import { enqueueRun } from './run-jobs.ts';
import { hasOpenRun, insertRun, type RunRow, selectRun, selectRuns } from './runs.store.ts';
import { isIncremental } from './source.rules.ts';

const noPipeline = () => new AppError('not_found', { detail: 'This pipeline does not exist.' });
const noRun = () => new AppError('not_found', { detail: 'This run does not exist.' });

/** Starts a pipeline by hand. Throws 404, and 409 for an archived one and while a run is in progress. */
export async function startRun(tx: Tx, pipelineId: string): Promise<PipelineRunCreated> {
  const pipeline = await lockPipeline(tx, pipelineId);
  if (pipeline === null) throw noPipeline();
  if (pipeline.status === 'archived') {
    throw new AppError('invalid_transition', { detail: 'The pipeline is archived. Change its status to run it.' });
  }
  if (await hasOpenRun(tx, pipeline.id)) {
    throw new AppError('invalid_transition', { detail: 'A run of this pipeline is already in progress.' });
  }
  return queueRun(tx, pipeline, 'manual');
}

/** Queues a run of a locked pipeline that has none. Numbers have no gaps, because they are given under the lock. */
export async function queueRun(
  tx: Tx,
  pipeline: StartablePipeline,
  triggeredBy: PipelineTrigger,
): Promise<PipelineRunCreated> {
  const { connectorId, schemaId, source, transforms, loadMode, upsertKey, onRowError, allowEmpty } = pipeline;
  const id = newId();
  const runNumber = await noteNewRun(tx, pipeline.id);
  const { batchSize } = pipeline.executionConfig;
  // To replace rows, it needs all of them.
  const cursor = isIncremental(source) && loadMode !== 'replace' ? pipeline.nextCursor : null;
  await insertRun(tx, {
    ...{ id, pipelineId: pipeline.id, runNumber, triggeredBy, connectorId, schemaId },
    settings: { source, transforms, loadMode, upsertKey, onRowError, allowEmpty, batchSize, cursor },
    sourceCursor: cursor,
  });
  await enqueueRun(tx, id);
  await recordAudit(tx, {
    ...{ action: 'create', entityType: 'pipelineRun', entityId: id, entityName: pipeline.name },
    after: { pipelineId: pipeline.id, runNumber, triggeredBy },
  });
  const createdAt = tx.now.toISOString();
  return { id, pipelineId: pipeline.id, runNumber, triggeredBy, status: 'pending', createdAt };
}

type RunQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** Returns a page of runs, newest first. 404, 400 `invalid_cursor`. */
export async function listRuns(
  tx: Tx,
  pipelineId: string,
  query: RunQuery,
): Promise<{ data: PipelineRun[]; pagination: Pagination }> {
  const { id } = await getRecord(tx, pipelineSpec, pipelineId);
  const limit = pageSize(pipelineRunPage, query.limit);
  const before = query.cursor === undefined ? null : await readCursor(tx, id, query.cursor);
  const { rows, total } = await selectRuns(tx, id, { before, limit: limit + 1 });
  const page = pageOf({ rows, limit, total, cursorOf: (run) => run.id });
  return { data: page.rows.map(showRun), pagination: page.pagination };
}

async function readCursor(tx: Tx, pipelineId: string, cursor: string): Promise<number> {
  const run = await selectRun(tx, cursor);
  if (run !== null && run.pipelineId === pipelineId) return run.runNumber;
  throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
}

async function getRun(tx: Tx, pipelineId: string, runId: string): Promise<RunRow> {
  const run = await selectRun(tx, runId);
  if (run !== null && run.pipelineId === pipelineId.toLowerCase()) return run;
  throw noRun();
}

/** Ends a run; what it loaded stays. 404; 409 when it has ended. */
export async function cancelRun(tx: Tx, pipelineId: string, runId: string): Promise<PipelineRun> {
  const { id } = await getRun(tx, pipelineId, runId);
  // In the order of starting: the pipeline, then the run.
  const pipeline = await lockPipeline(tx, pipelineId);
  const run = await selectRun(tx, id, true);
  if (pipeline === null || run === null) throw noRun();
  if (run.completedAt !== null) throw new AppError('invalid_transition', { detail: 'The run has already ended.' });
  await endRun(tx, run, { status: 'cancelled', error: null });
  await recordAudit(tx, {
    ...{ action: 'update', entityType: 'pipelineRun', entityId: run.id, entityName: pipeline.name },
    ...{ before: { status: run.status }, after: { status: 'cancelled' } },
  });
  return showRun(await getRun(tx, pipelineId, runId));
}

/** 404. */
export async function readProgress(tx: Tx, pipelineId: string, runId: string): Promise<PipelineProgress> {
  const run = await getRun(tx, pipelineId, runId);
  const { status, rowsIn, rowsOut, skippedRows, failedRows, startedAt, completedAt } = run;
  const isComplete = status === 'completed' || status === 'completed_with_errors';
  const until = completedAt ?? tx.now;
  return {
    ...{ status, error: errorOf(run), rowsIn, rowsOut, skippedRows, failedRows },
    ...{ totalRows: isComplete ? rowsIn : null, processedRows: rowsIn },
    // A source doesn't say how many rows are left.
    ...{ progressPercent: isComplete ? 100 : null, etaSeconds: isComplete ? 0 : null },
    durationMs: startedAt === null ? 0 : Math.max(0, until.getTime() - startedAt.getTime()),
    loadMode: run.settings.loadMode,
    validationErrors: [...run.rowProblems],
    log: [...run.log],
  };
}

const errorOf = ({ errorCode, errorMessage }: RunRow): PipelineRun['error'] =>
  errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };

function showRun(run: RunRow): PipelineRun {
  const { id, pipelineId, runNumber, triggeredBy, status, rowsIn, rowsOut, skippedRows, failedRows } = run;
  return {
    ...{
      id,
      pipelineId,
      runNumber,
      triggeredBy,
      status,
      error: errorOf(run),
      rowsIn,
      rowsOut,
      skippedRows,
      failedRows,
    },
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    completedAt: run.completedAt?.toISOString() ?? null,
  };
}
