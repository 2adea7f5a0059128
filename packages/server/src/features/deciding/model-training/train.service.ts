import { type TrainedModel, type TrainingRows, trainingSeed } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { rest } from '../../../platform/turns.ts';
import { findRecord, isDeleted, updateRecord } from '../../catalogue/catalogue-records/index.ts';
import {
  completeTraining,
  failTraining,
  lockOpenTraining,
  type ModelRow,
  modelSpec,
  noteProgress,
  replaceState,
  type TrainingError,
  type TrainingRequest,
} from '../../catalogue/models/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { recordRows } from './record-rows.ts';
import { type SchemaPages, trainingRows } from './schema-pages.rules.ts';
import { schemaRows } from './schema-rows.ts';
import { type PackedRows, packRows, trainable, unpackRows } from './training-set.ts';

/** A training, as plain data that can be sent to a thread. */
export interface ThreadTraining {
  readonly modelType: string;
  readonly config: ModelRow['config'];
  readonly params: TrainingRequest['params'];
  readonly seed: string;
  readonly rows: ThreadRows;
}

/** The rows of a training, for `readRows`. */
export type ThreadRows =
  | { readonly kind: 'packed'; readonly packed: PackedRows }
  | { readonly kind: 'schema'; readonly pages: SchemaPages };

/** Returns the rows for training. Slow, so call it in the thread. `pauseIfBusy` runs between its pieces. */
export const readRows = (rows: ThreadRows, pauseIfBusy: () => void): TrainingRows =>
  rows.kind === 'packed' ? unpackRows(rows.packed) : trainable(trainingRows(rows.pages, pauseIfBusy));

/** A training in a thread. */
export interface RunningTraining {
  /** Rejects when it was stopped. */
  readonly result: Promise<TrainedModel>;
  /** Finished part, 0 to 1. */
  progress(): number;
  stop(): void;
}

/** Port: trains in a thread, because it takes seconds of computing. */
export type TrainInThread = (training: ThreadTraining) => RunningTraining;

export interface TrainingPorts {
  readonly database: Database;
  readonly customerKeys: CustomerKeys;
  readonly trainInThread: TrainInThread;
  /** Counts ended trainings. */
  readonly onTrained: (outcome: 'completed' | TrainingError, modelType: string, seconds: number) => void;
}

/** How often progress is stored, and a cancelled training noticed. */
const lookEveryMs = 500;

/**
 * Trains a model: collects its rows, trains in a thread, and stores the result as a new version. Repeatable: what another
 * process left undone starts over on the same rows, with the same seed. Does nothing for a training that has ended.
 */
export async function runTraining(
  ports: TrainingPorts,
  tenantId: string,
  trainingId: string,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const inTenant = <T>(work: (tx: Tx) => Promise<T>) =>
    ports.database.withTenant(tenantId, systemActor('model-train'), work);
  const opened = await inTenant((tx) => openTraining(tx, trainingId));
  if (opened === null) return;
  const { model, training } = opened;
  const end = (outcome: 'completed' | TrainingError): void =>
    ports.onTrained(outcome, model?.modelType ?? 'unknown', (performance.now() - startedAt) / 1_000);
  const fail = async (error: TrainingError): Promise<void> => {
    await inTenant((tx) => failTraining(tx, trainingId, error));
    end(error);
  };
  if (model === null) return fail('model_deleted');
  const rows = await collectRows(ports, tenantId, model, training, signal);
  if (rows === null) return fail('schema_not_found');
  const running = ports.trainInThread({
    modelType: model.modelType,
    config: model.config,
    params: training.params,
    seed: trainingSeed(model.key, training.modelVersion),
    rows,
  });
  const isOpen = await follow(running, signal, (progress) => inTenant((tx) => noteProgress(tx, trainingId, progress)));
  if (!isOpen) return end('cancelled');
  const trained = await running.result;
  if (trained.kind === 'insufficient_data') return fail('insufficient_data');
  end(await inTenant((tx) => finish(tx, trainingId, trained)));
}

async function openTraining(tx: Tx, trainingId: string) {
  const training = await lockOpenTraining(tx, trainingId);
  if (training === null) return null;
  await noteProgress(tx, trainingId, 0);
  const model = await findRecord(tx, modelSpec, training.modelId);
  return { training, model: model === null || isDeleted(model) ? null : model };
}

async function collectRows(
  { database, customerKeys }: TrainingPorts,
  tenantId: string,
  model: ModelRow,
  { schemaId, targetField, rowsFrom, rowsTo }: TrainingRequest,
  signal: AbortSignal,
): Promise<ThreadRows | null> {
  const { predictors, outcomeWeights, learningConfig } = model;
  if (schemaId !== null) {
    const pages = await schemaRows(database, {
      tenantId,
      schemaId,
      targetField: targetField ?? '',
      predictors,
      signal,
    });
    return pages && { kind: 'schema', pages };
  }
  const set = await recordRows(database, customerKeys, {
    ...{ tenantId, predictors, outcomeWeights, signal },
    noResponseHours: learningConfig.noResponseHours ?? null,
    from: rowsFrom,
    to: rowsTo,
  });
  return { kind: 'packed', packed: packRows(set) };
}

/** Waits for the thread and stores its progress. Returns false when the training was cancelled. Throws when the process stops. */
async function follow(
  running: RunningTraining,
  signal: AbortSignal,
  note: (progress: number) => Promise<boolean>,
): Promise<boolean> {
  let isRunning = true;
  const ended = running.result.then(
    () => undefined,
    () => undefined,
  );
  void ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    await Promise.race([ended, rest(lookEveryMs)]);
    if (signal.aborted) {
      running.stop();
      await ended;
      throw new Error('the process stopped before the training finished');
    }
    if (await note(running.progress())) continue;
    running.stop();
    await ended;
    return false;
  }
  return true;
}

/** Stores the state as a new version of the model, unless the training was cancelled at the last moment. */
async function finish(
  tx: Tx,
  trainingId: string,
  { state, metrics, samples, distribution }: Extract<TrainedModel, { kind: 'trained' }>,
): Promise<'completed' | TrainingError> {
  const training = await lockOpenTraining(tx, trainingId);
  if (training === null) return 'cancelled';
  try {
    const { id, version } = await updateRecord(tx, modelSpec, training.modelId, {
      action: 'train',
      change: () => ({ modelState: state, ...(training.activates ? { status: 'active' as const } : {}) }),
    });
    await replaceState(tx, id, state, { samples });
    await completeTraining(tx, trainingId, { version, metrics, samples, distribution });
    return 'completed';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    await failTraining(tx, trainingId, 'model_deleted');
    return 'model_deleted';
  }
}
