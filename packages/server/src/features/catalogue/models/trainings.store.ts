import type { AlgorithmModel } from '@arbiter/contract';
import type { Json, ModelMetrics } from '@arbiter/engine';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';

type JsonRecord = Readonly<Record<string, Json>>;

const trainings = table<
  'model_trainings',
  { params: JsonRecord; metrics: ModelMetrics | null; distribution: JsonRecord | null; error: TrainingError | null }
>('model_trainings');

export type TrainingError = NonNullable<NonNullable<AlgorithmModel['training']>['error']>;

const shown = columns(trainings, [
  'id',
  'modelId',
  'status',
  'progress',
  'error',
  'trainedVersion',
  'metrics',
  'samples',
  'createdAt',
  'finishedAt',
]);
/** A training as models show it. */
export type ShownTraining = RowOf<typeof shown>;

const whole = columns(trainings, [
  'id',
  'modelId',
  'status',
  'modelVersion',
  'rowsFrom',
  'rowsTo',
  'schemaId',
  'targetField',
  'params',
  'activates',
]);
/** A training with what it trains on. */
export type TrainingRequest = RowOf<typeof whole>;

const baseline = columns(trainings, ['trainedVersion', 'distribution', 'metrics', 'samples']);
/** The newest successful training of a model. */
export type TrainingBaseline = RowOf<typeof baseline>;

/** Successful trainings that a model shows; older ones are deleted. */
const maxTrainings = 50;

/**
 * Returns until when trainings before `until` have read outcomes of decisions that may be in a range; null if none of these
 * models has seen any. A training on records reads all responses of its own range.
 */
export async function trainedUntil(
  tx: Tx,
  modelIds: readonly string[],
  range: { readonly from: Date; readonly to: Date },
  until: Date,
): Promise<Date | null> {
  const [row] = await select(
    tx,
    columns(trainings, ['rowsTo']),
    `from arbiter.model_trainings
     where tenant_id = $1 and model_id = any($2::uuid[]) and status = 'completed' and schema_id is null
       and rows_to > $3 and (rows_from is null or rows_from < $4) and created_at <= $5
     order by rows_to desc limit 1`,
    [tx.tenantId, modelIds, range.from, range.to, until],
  );
  return row?.rowsTo ?? null;
}

/** Stores a queued training. Returns false when one of the model is still open. */
export async function insertTraining(tx: Tx, training: Omit<TrainingRequest, 'status'>): Promise<boolean> {
  await tx.query(
    `delete from model_trainings where tenant_id = $1 and model_id = $2 and status in ('completed', 'failed') and id not in (
       select id from model_trainings where tenant_id = $1 and model_id = $2 order by created_at desc, id desc limit $3)`,
    [tx.tenantId, training.modelId, maxTrainings],
  );
  const rows = await tx.query(
    `insert into model_trainings (tenant_id, id, model_id, model_version, rows_from, rows_to, schema_id, target_field, params, activates, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (tenant_id, model_id) where status in ('queued', 'running') do nothing returning id`,
    [
      tx.tenantId,
      training.id,
      training.modelId,
      training.modelVersion,
      training.rowsFrom,
      training.rowsTo,
      training.schemaId,
      training.targetField,
      JSON.stringify(training.params),
      training.activates,
      tx.now,
    ],
  );
  return rows.length === 1;
}

/** Returns the newest training of each of these models, by model. */
export const newestTrainings = (tx: Tx, modelIds: readonly string[]) => newestOf(tx, modelIds, 'true', 'created_at');

/** Returns the newest successful training of each of these models, by model. */
export const newestCompleted = (tx: Tx, modelIds: readonly string[]) =>
  newestOf(tx, modelIds, `status = 'completed'`, 'finished_at');

async function newestOf(
  tx: Tx,
  modelIds: readonly string[],
  condition: string,
  instant: 'created_at' | 'finished_at',
): Promise<ReadonlyMap<string, ShownTraining>> {
  if (modelIds.length === 0) return new Map();
  const rows = await select(
    tx,
    shown,
    `from arbiter.model_trainings where tenant_id = $1 and id in (
       select distinct on (model_id) id from arbiter.model_trainings
       where tenant_id = $1 and model_id = any($2::uuid[]) and ${condition}
       order by model_id, ${instant} desc, id desc)`,
    [tx.tenantId, uuidArray(modelIds)],
  );
  return new Map(rows.map((row) => [row.modelId, row]));
}

/** Returns successful trainings of a model, the newest first. */
export async function completedTrainings(tx: Tx, modelId: string): Promise<ShownTraining[]> {
  return select(
    tx,
    shown,
    `from arbiter.model_trainings where tenant_id = $1 and model_id = $2 and status = 'completed'
     order by finished_at desc, id desc limit ${maxTrainings}`,
    [tx.tenantId, modelId],
  );
}

/** Returns the newest successful training with its distribution, or null before the first one. */
export async function trainingBaseline(tx: Tx, modelId: string): Promise<TrainingBaseline | null> {
  const [row] = await select(
    tx,
    baseline,
    `from arbiter.model_trainings where tenant_id = $1 and model_id = $2 and status = 'completed'
     order by finished_at desc, id desc limit 1`,
    [tx.tenantId, modelId],
  );
  return row ?? null;
}

/** Returns an open training, locked until the transaction ends; null when it has ended. */
export async function lockOpenTraining(tx: Tx, id: string): Promise<TrainingRequest | null> {
  const [row] = await select(
    tx,
    whole,
    `from arbiter.model_trainings where tenant_id = $1 and id = $2 and status in ('queued', 'running') for update`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** Returns true while a training that makes its model active is open. */
export async function isActivating(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    `select exists (select from model_trainings
       where tenant_id = $1 and activates and status in ('queued', 'running')) as found`,
    [tx.tenantId],
  );
  return row?.found === true;
}

/** Returns the open training of a model, locked; null: none. */
export async function lockOpenTrainingOf(tx: Tx, modelId: string): Promise<TrainingRequest | null> {
  const [row] = await select(
    tx,
    whole,
    `from arbiter.model_trainings where tenant_id = $1 and model_id = $2 and status in ('queued', 'running') for update`,
    [tx.tenantId, modelId],
  );
  return row ?? null;
}

/** Stores how far a training is. Returns false when it has ended, because someone cancelled it. */
export async function noteProgress(tx: Tx, id: string, progress: number): Promise<boolean> {
  const rows = await tx.query(
    `update model_trainings set status = 'running', progress = $3
     where tenant_id = $1 and id = $2 and status in ('queued', 'running') returning id`,
    [tx.tenantId, id, progress],
  );
  return rows.length === 1;
}

export async function failTraining(tx: Tx, id: string, error: TrainingError): Promise<void> {
  await tx.query(
    `update model_trainings set status = 'failed', error = $3, finished_at = $4
     where tenant_id = $1 and id = $2 and status in ('queued', 'running')`,
    [tx.tenantId, id, error, tx.now],
  );
}

export async function completeTraining(
  tx: Tx,
  id: string,
  done: {
    readonly version: number;
    readonly metrics: ModelMetrics;
    readonly samples: number;
    readonly distribution: JsonRecord;
  },
): Promise<void> {
  await tx.query(
    `update model_trainings set status = 'completed', progress = 1, trained_version = $3, metrics = $4, samples = $5,
       distribution = $6, finished_at = $7 where tenant_id = $1 and id = $2`,
    [
      tx.tenantId,
      id,
      done.version,
      JSON.stringify(done.metrics),
      done.samples,
      JSON.stringify(done.distribution),
      tx.now,
    ],
  );
}
