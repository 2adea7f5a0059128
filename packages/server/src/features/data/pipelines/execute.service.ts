import { systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type JsonValue, selectRowKeys } from '../../catalogue/schemas/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { noteSync, type RowKeys, type SourceReader } from '../connectors/index.ts';
import { besideErasures } from './beside-erasures.service.ts';
import { endRun, Superseded } from './end-run.service.ts';
import { loadAtOnce } from './load-at-once.service.ts';
import { lockPipeline, storeNextCursor } from './pipelines.store.ts';
import { createPreparer, type PreparedRows, together } from './prepare-rows.ts';
import { readSource, watchRun } from './read-source.ts';
import { enqueueRun } from './run-jobs.ts';
import { emptyTally, logged, progressAt, type RunTally, tallyOf } from './run-tally.rules.ts';
import { type RunRow, selectRun, storeProgress } from './runs.store.ts';
import { isIncremental, rowLimitOf } from './source.rules.ts';
import { type RunError, reasonOf, SourceFailed, sourceFailure } from './source-errors.rules.ts';
import { type TakenRun, takeRun } from './take-run.service.ts';
import { compileTransforms, remembersRows } from './transforms.rules.ts';
import type { ExecutePorts, InTenant, Work } from './work.ts';
import { lockOwnRun, RowRejected, writeBatch } from './write-rows.service.ts';

const actor = systemActor('pipeline');
/** A run that takes longer goes to the end of the queue, so that other tenants get their turn. */
const turnMs = 60_000;
const statementMs = 120_000;

/**
 * Works on a run until it ends, its turn is over, or the process stops. Each batch is one transaction with its cursor, so
 * after a crash, the run resumes after the last committed batch
 * (docs/design/api-catalogue.md 15). `isLastTry`: a source that can't be reached now fails the run.
 * `isRetry`: the previous attempt crashed or failed. The turn then ends after the first batch, and the job gets new attempts: only a
 * run without progress uses them up.
 */
export async function executeRun(
  ports: ExecutePorts,
  tenantId: string,
  runId: string,
  {
    signal,
    isRetry,
    isLastTry,
  }: { readonly signal: AbortSignal; readonly isRetry: boolean; readonly isLastTry: boolean },
): Promise<void> {
  const inTenant: InTenant = (work) =>
    ports.database.withTenant(tenantId, actor, work, { statementTimeoutMs: statementMs });
  const taken = await inTenant((tx) => takeRun(tx, runId));
  if (taken === null) return;
  const watch = watchRun(ports.database, tenantId, taken.run);
  try {
    const turn = isRetry ? 0 : turnMs;
    await load(ports, taken, inTenant, { signal: AbortSignal.any([signal, watch.signal]), turnMs: turn });
  } catch (error) {
    if (error instanceof Superseded) return;
    await failOn(inTenant, taken, error, isLastTry && !signal.aborted);
  } finally {
    watch.stop();
  }
}

async function load(
  ports: ExecutePorts,
  taken: TakenRun,
  inTenant: InTenant,
  turn: Pick<Work, 'signal' | 'turnMs'>,
): Promise<void> {
  const { run, startedAt } = taken;
  const { source, transforms, loadMode } = run.settings;
  const reader = await openSource(ports, taken, inTenant);
  if (reader === null) return;
  try {
    const inOneStep =
      loadMode === 'replace' || remembersRows(transforms) || (loadMode === 'append' && !reader.isResumable);
    const begins = inOneStep || !reader.isResumable;
    // What another process of this run counted is counted again with the rows themselves.
    const tally = begins ? emptyTally : tallyOf(run);
    const compiled = compileTransforms(transforms, {
      now: startedAt.getTime(),
      hash: (text) => ports.pipelineHash.of(taken.tenantId, text).toString('hex'),
    });
    if (!compiled.ok) throw new Error(`stored transforms are invalid: ${compiled.problems[0]?.message}`);
    const preparer = createPreparer(
      taken.fields,
      transforms.length === 0 ? null : compiled.transform,
      tally.rowsIn + 1,
    );
    const work: Work = { ports, taken, reader, preparer, inTenant, tally, ...turn };
    if (inOneStep) await loadAtOnce(work, finish);
    else await loadInBatches(work, begins ? run.settings.cursor : run.sourceCursor, rowLimitOf(source));
  } finally {
    await reader.close().catch(() => undefined);
  }
}

/** Opens the source. Null: its type is coming soon, which reads no rows. */
async function openSource(
  { openReader }: ExecutePorts,
  taken: TakenRun,
  inTenant: InTenant,
): Promise<SourceReader | null> {
  const { run } = taken;
  try {
    const rowKeys: RowKeys = (after, limit) =>
      inTenant((tx) => selectRowKeys(tx, run.schemaId, after, limit)).catch((cause: unknown) => {
        throw new AppError('internal', { cause });
      });
    return await inTenant((tx) => openReader(tx, run.connectorId, run.settings.source, rowKeys));
  } catch (error) {
    if (reasonOf(error) !== 'coming_soon') throw sourceFailure(error);
    await inTenant(async (tx) => {
      const tally = logged(
        tallyOf(run),
        tx.now,
        'coming_soon',
        "This connector type isn't available yet. No rows were read.",
      );
      await finish(tx, taken, tally, null);
    });
    return null;
  }
}

/** Loads batch by batch, and prepares each batch while the one before is written. */
async function loadInBatches(work: Work, cursor: JsonValue | null, rowLimit: number): Promise<void> {
  const { ports, taken, reader, preparer, inTenant, signal } = work;
  const { loadMode, batchSize } = taken.run.settings;
  const until = performance.now() + work.turnMs;
  const writer = { run: taken.run, startedAt: taken.startedAt, customerHash: ports.customerHash, areNew: true };
  let { tally } = work;
  let waiting: PreparedRows[] = [];
  let read = 0;
  let position = cursor;
  let writing = Promise.resolve();
  const write = async (prepared: PreparedRows, at: JsonValue | null): Promise<void> => {
    tally = await besideErasures(inTenant, writer.startedAt, (tx) => writeBatch(tx, writer, tally, prepared, at));
    if (at !== null) await reader.committed(at);
  };
  const next = async (): Promise<void> => {
    const prepared = together(waiting);
    waiting = [];
    read = 0;
    await writing;
    writing = write(prepared, position);
    // The error is thrown by the next `await writing`.
    writing.catch(() => undefined);
  };
  const left = rowLimit === 0 ? 0 : Math.max(1, rowLimit - tally.rowsIn);
  // The turn before may have ended with the last row of the limit.
  const isDone = reader.isResumable && rowLimit > 0 && tally.rowsIn >= rowLimit;
  try {
    for await (const batch of isDone ? [] : readSource(reader, { cursor, signal, rowLimit: left })) {
      // Immediately, because long-lived objects of the source make the process grow.
      waiting.push(await preparer.prepare(batch.rows));
      read += batch.rows.length;
      position = batch.cursor;
      // Its rows are read again after a crash: an append would have them twice.
      if (batch.isPartial === true && loadMode === 'append') continue;
      if (read < batchSize) continue;
      await next();
      if (batch.isPartial === true || !reader.isResumable || performance.now() < until) continue;
      await writing;
      await inTenant((tx) => enqueueRun(tx, taken.run.id));
      return;
    }
    if (read > 0) await next();
    await writing;
  } finally {
    // The last write must end before the reader closes. If the read failed, its error is the one to report.
    await writing.catch(() => undefined);
  }
  await inTenant((tx) => finish(tx, taken, tally, position));
}

/** Ends a run that loaded all its rows. */
async function finish(tx: Tx, taken: TakenRun, tally: RunTally, cursor: JsonValue | null): Promise<void> {
  const { run } = taken;
  await lockPipeline(tx, run.pipelineId);
  await lockOwnRun(tx, run);
  const status = tally.failedRows > 0 ? 'completed_with_errors' : 'completed';
  const ended = logged(tally, tx.now, status, `${tally.rowsOut} of ${tally.rowsIn} rows were loaded.`);
  await storeProgress(tx, run.id, progressAt(ended, cursor));
  await endRun(tx, run, { status, error: null });
  if (isIncremental(run.settings.source)) await storeNextCursor(tx, run.pipelineId, cursor);
  await noteSync(tx, run.connectorId, tally.rowsIn);
  const { rowsIn: rows, rowsOut, skippedRows, failedRows } = tally;
  await recordAudit(tx, {
    ...{ action: 'upload', entityType: 'dataSchema', entityId: run.schemaId, entityName: taken.pipelineName },
    after: { pipelineRunId: run.id, rows, rowsOut, skippedRows, failedRows },
  });
}

/** Ends a run as failed, or throws an error that another try may not meet. */
async function failOn(inTenant: InTenant, { run }: TakenRun, error: unknown, isLastTry: boolean): Promise<void> {
  if (error instanceof RowRejected) {
    const [first] = error.tally.rowProblems;
    const message = `Row ${first?.row ?? 0} does not fit the schema.`;
    await inTenant((tx) => fail(tx, run, { code: 'row_rejected', message }, error.tally));
    return;
  }
  if (!(error instanceof SourceFailed) || (error.isPassing && !isLastTry)) throw error;
  await inTenant((tx) => fail(tx, run, error.error, null));
  // The dead letter says why.
  if (error.isPassing) throw error;
}

/** Ends a run that used up its attempts or whose processes died. */
export async function giveUp({ database }: ExecutePorts, tenantId: string, runId: string): Promise<void> {
  await database.withTenant(tenantId, actor, async (tx) => {
    const run = await selectRun(tx, runId);
    const error = { code: 'internal', message: 'The run failed several times in a row.' };
    if (run !== null) await fail(tx, run, error, null);
  });
}

async function fail(tx: Tx, run: RunRow, error: RunError, tally: RunTally | null): Promise<void> {
  await lockPipeline(tx, run.pipelineId);
  const now = await selectRun(tx, run.id, true);
  if (now === null || now.completedAt !== null || now.token !== run.token) return;
  if (tally !== null) await storeProgress(tx, run.id, progressAt(tally, now.sourceCursor));
  await endRun(tx, run, { status: 'failed', error });
}
