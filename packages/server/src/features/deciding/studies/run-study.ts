import {
  cancelStatement,
  type Database,
  isTimedOut,
  nameTransaction,
  systemActor,
  type TransactionName,
  type Tx,
} from '../../../db/index.ts';
import { Postponed } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { rest } from '../../../platform/turns.ts';
import {
  addProgress,
  endStudy,
  findStudy,
  isRunning,
  keepSelecting,
  lockRunning,
  nextQueued,
  notePrepared,
  type StudyEnd,
  type StudyRow,
  takeStudy,
} from './studies.store.ts';
import {
  cutChunks,
  dropWork,
  finishChunk,
  releaseChunks,
  renewLeases,
  secondsToWait,
  takeChunk,
} from './study-chunks.store.ts';
import { enqueueStudy } from './study-job.ts';
import { laneOf, type StudyLane, type StudyStep, type StudyStepResult } from './study-kind.ts';
import { kindNamed } from './study-kinds.ts';
import { questionOf } from './study-steps.ts';

/** Port: threads that work on studies, each with a connection of its own. */
export interface StudyThreads {
  readonly count: number;
  /**
   * Takes the threads of a lane for one study until the returned function is called; null while another one has them, or if
   * it's the turn of another tenant.
   */
  claim(tenantId: string, lane: StudyLane): (() => void) | null;
  /** Starts a step. `stop` makes it reject soon. */
  start(step: StudyStep): { readonly result: Promise<StudyStepResult>; readonly stop: () => void };
}

export interface RunStudyPorts {
  readonly database: Database;
  readonly studyThreads: StudyThreads;
  /** Counts studies that ended. */
  readonly onStudyEnded: (tenantId: string, kind: string, outcome: StudyEnd['status']) => void;
  /** Counts offers for which a generated customer contradicted the policy compiler. */
  readonly onContradiction: (offers: number) => void;
}

/** How often leases are renewed and a cancelled study is noticed. */
const checkEveryMs = 1_000;
/** How often the selection of an ended study is cancelled, until it has ended. */
const cancelEveryMs = 100;
/** Seconds until a study is retried while this process works on another one, or another process selects its records. */
export const busySeconds = 5;
/** Time for selecting the records of a study, in ms. */
const cutMs = 300_000;
const actor = systemActor('study');

/** The study has ended or another process works on it. */
class Superseded extends Error {}

/** Ends a study, starts the next one of the tenant, and returns the kind of the one that ended. Null if it has ended already. */
export async function endAndContinue(tx: Tx, id: string, end: StudyEnd): Promise<StudyRow['kind'] | null> {
  const kind = await endStudy(tx, id, end);
  if (kind === null) return null;
  await dropWork(tx, id, end.status === 'completed');
  const next = await nextQueued(tx, laneOf(kind));
  if (next !== null) await enqueueStudy(tx, next);
  return kind;
}

/** Ends a study that can't be completed, unless it has ended already. */
export async function failStudy(
  { database, onStudyEnded }: RunStudyPorts,
  tenantId: string,
  id: string,
  error: (StudyEnd & { readonly status: 'failed' })['error'],
): Promise<void> {
  const kind = await database.withTenant(tenantId, actor, (tx) => endAndContinue(tx, id, { status: 'failed', error }));
  if (kind !== null) onStudyEnded(tenantId, kind, 'failed');
}

/**
 * Works on a study until it ends: cuts it into chunks, has threads work on them, and merges. Can be repeated: finished
 * chunks stay. Throws when the process stops, and Postponed while it works on another study; a retry continues.
 */
export async function runStudy(
  ports: RunStudyPorts,
  tenantId: string,
  studyId: string,
  signal: AbortSignal,
): Promise<void> {
  const study = await ports.database.withTenant(tenantId, actor, (tx) => findStudy(tx, studyId));
  if (study === null) return;
  // Otherwise, studies of several tenants could occupy every job slot.
  const release = ports.studyThreads.claim(tenantId, laneOf(study.kind));
  if (release === null) throw new Postponed(busySeconds);
  try {
    await work(ports, tenantId, study, signal);
  } finally {
    release();
  }
}

async function work(
  ports: RunStudyPorts,
  tenantId: string,
  { id: studyId, kind }: Pick<StudyRow, 'id' | 'kind'>,
  signal: AbortSignal,
): Promise<void> {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>, statementTimeoutMs?: number): Promise<T> =>
    ports.database.withTenant(tenantId, actor, work, statementTimeoutMs === undefined ? {} : { statementTimeoutMs });
  const run: StudyRun = {
    ports,
    tenantId,
    studyId,
    lane: laneOf(kind),
    holder: newId(),
    inTenant,
    signal,
    steps: new Set(),
    selection: null,
    isStopped: false,
  };
  const row = await inTenant((tx) => takeStudy(tx, studyId));
  if (row === null) return;
  const end = async (ending: StudyEnd): Promise<void> => {
    if ((await inTenant((tx) => endAndContinue(tx, studyId, ending))) !== null) {
      ports.onStudyEnded(tenantId, kind, ending.status);
    }
  };
  try {
    await watched(run, async () => {
      if (!row.isPrepared && !(await prepare(run, row))) return end({ status: 'failed', error: 'timed_out' });
      await workInThreads(run);
      const { outcome } = await step(run, null);
      if (outcome === null) throw new Error('the merge returned no outcome');
      const { contradictions = 0, ...ended } = outcome;
      if (contradictions > 0) ports.onContradiction(contradictions);
      await end({ status: 'completed', ...ended });
    });
  } catch (error) {
    if (error instanceof Superseded) return;
    if (error instanceof AppError && error.code === 'record_corrupt')
      return end({ status: 'failed', error: 'plan_missing' });
    await inTenant((tx) => releaseChunks(tx, studyId, run.holder));
    throw error;
  }
}

interface StudyRun {
  readonly ports: RunStudyPorts;
  readonly tenantId: string;
  readonly studyId: string;
  readonly lane: StudyLane;
  readonly holder: string;
  readonly inTenant: <T>(work: (tx: Tx) => Promise<T>, statementTimeoutMs?: number) => Promise<T>;
  readonly signal: AbortSignal;
  /** Stops the steps that threads work on. */
  readonly steps: Set<() => void>;
  /** The transaction that selects the study's records; null while there's none. */
  selection: TransactionName | null;
  /** True once no more steps may start. */
  isStopped: boolean;
}

/** Ends the steps that threads work on. */
function stopSteps(run: StudyRun): void {
  run.isStopped = true;
  for (const stop of run.steps) stop();
}

/**
 * Selects the records of a study and stores its chunks. Doesn't lock the study in the meantime, so that it can be cancelled. False:
 * it takes too long, and would the next time.
 */
async function prepare(run: StudyRun, row: StudyRow): Promise<boolean> {
  const question = questionOf(row);
  const choice = kindNamed(row.kind).records(question);
  const select = async (tx: Tx): Promise<void> => {
    if (!(await keepSelecting(tx, row.id))) throw new Postponed(busySeconds);
    if ((await findStudy(tx, row.id))?.isPrepared !== false) return;
    run.selection = await nameTransaction(tx);
    if (run.isStopped) throw new Superseded();
    const total = choice === null ? 0 : await cutChunks(tx, question, choice);
    if (!(await notePrepared(tx, row.id, total))) throw new Superseded();
  };
  try {
    await run.inTenant(select, cutMs);
    return true;
  } catch (error) {
    if (isTimedOut(error) && !run.isStopped) return false;
    throw error;
  } finally {
    run.selection = null;
  }
}

/** Cancels the selection of records until it has ended: between two of its statements, there's nothing to cancel. */
async function endSelection(run: StudyRun): Promise<void> {
  for (; run.selection !== null; await rest(cancelEveryMs)) {
    const { selection } = run;
    await run.inTenant((tx) => cancelStatement(tx, selection));
  }
}

/** Renews leases while the task runs. Rejects when the process stops, and with Superseded once the study has ended. */
async function watched(run: StudyRun, task: () => Promise<void>): Promise<void> {
  const { signal, studyId, holder, inTenant } = run;
  let isWorking = true;
  const check = async (): Promise<void> => {
    while (isWorking) {
      await rest(checkEveryMs);
      if (!isWorking) return;
      if (signal.aborted) throw new Error('the process stopped before the study finished');
      const isStillRunning = await inTenant(async (tx) => {
        await renewLeases(tx, studyId, holder);
        return isRunning(tx, studyId);
      });
      if (!isStillRunning) throw new Superseded();
    }
  };
  const working = task();
  try {
    await Promise.race([working, check().then(() => working)]);
  } finally {
    isWorking = false;
    stopSteps(run);
    try {
      await endSelection(run);
    } finally {
      // Its error was thrown above, or the study has ended.
      await working.catch(() => undefined);
    }
  }
}

/** Has all threads work on chunks. If one fails, the others end first: the next study may claim them. */
async function workInThreads(run: StudyRun): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    stopSteps(run);
  };
  await Promise.all(Array.from({ length: run.ports.studyThreads.count }, () => workOnChunks(run).catch(fail)));
  if (failures.length > 0) throw failures[0];
}

/** Works on chunks until all are done, here or elsewhere. */
async function workOnChunks(run: StudyRun): Promise<void> {
  const { studyId, holder, inTenant } = run;
  for (;;) {
    if (run.signal.aborted) throw new Error('the process stopped before the study finished');
    const number = await inTenant((tx) => takeChunk(tx, studyId, holder));
    if (number === null) {
      const seconds = await inTenant((tx) => secondsToWait(tx, studyId));
      if (seconds === null) return;
      if (!(await inTenant((tx) => isRunning(tx, studyId)))) throw new Superseded();
      await rest(Math.min(1_000, Math.max(50, seconds * 1_000)));
      continue;
    }
    const { chunk } = await step(run, number);
    if (chunk === null) throw new Superseded();
    await inTenant(async (tx) => {
      if (!(await lockRunning(tx, studyId))) throw new Superseded();
      const decisions = await finishChunk(tx, { studyId, number, holder }, chunk);
      if (decisions !== null) await addProgress(tx, studyId, decisions);
    });
  }
}

async function step(run: StudyRun, chunk: number | null): Promise<StudyStepResult> {
  const { ports, lane, tenantId, studyId, steps } = run;
  if (run.isStopped) throw new Error('the study was stopped');
  const { result, stop } = ports.studyThreads.start({ lane, tenantId, studyId, chunk });
  steps.add(stop);
  try {
    return await result;
  } finally {
    steps.delete(stop);
  }
}
