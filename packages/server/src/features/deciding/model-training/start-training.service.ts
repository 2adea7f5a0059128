import type { TrainRequest } from '@arbiter/contract';
import { modelTrainer } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob } from '../../../jobs/index.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import {
  failTraining,
  insertTraining,
  lockOpenTrainingOf,
  type ModelRow,
  modelSpec,
  showModels,
} from '../../catalogue/models/index.ts';
import { readSchemaTables, type SchemaTable } from '../../catalogue/schemas/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { remarkArchived } from '../archived-months/index.ts';
import { trainModelJob } from './train-job.ts';

/**
 * Queues a training. Throws 404, 400 `model_unsupported` for a type that isn't trained, 400 for parameters and sources that
 * can't be used, 409 `concurrent_modification` while another training of the model is open. `activates`: success makes the
 * model active.
 */
export async function startTraining(tx: Tx, modelId: string, request: TrainRequest, activates = false) {
  const model = await getRecord(tx, modelSpec, modelId);
  const trainer = modelTrainer(model.modelType);
  if (trainer === null)
    throw new AppError('model_unsupported', { detail: `A ${model.modelType} model can't be trained.` });
  if (model.predictors.length === 0) throw invalid('/predictors', 'must name at least one predictor to train on');
  const params = asJsonObject(request.params ?? {});
  refuseProblems([
    ...trainer.check(params).map(({ path, message }) => ({ path: `/params${path}`, message })),
    ...Object.keys(params)
      .filter((key) => !Object.hasOwn(trainer.fields, key))
      .map((key) => ({ path: `/params/${key}`, message: `is not a parameter of ${model.modelType}` })),
  ]);
  const training = {
    id: newId(),
    modelId: model.id,
    modelVersion: model.version,
    params,
    activates,
    ...(await sourceOf(tx, model, request)),
  };
  if (!(await insertTraining(tx, training))) {
    throw new AppError('concurrent_modification', {
      detail: 'A training of this model is running. Wait for it or cancel it.',
    });
  }
  await enqueueJob(tx, trainModelJob, { trainingId: training.id });
  await audit(tx, model, { jobId: training.id, schemaId: training.schemaId, params });
  return { jobId: training.id, modelId: model.id, status: 'queued' as const };
}

async function sourceOf(tx: Tx, model: ModelRow, { from, to, datasetSchemaId, targetField }: TrainRequest) {
  const field = targetField ?? model.targetField;
  const isSchema = datasetSchemaId !== undefined || model.targetSchemaKey !== null;
  if (!isSchema) {
    if (targetField !== undefined) throw invalid('/targetField', "has no effect without a schema's rows");
    const rowsTo = to === undefined ? tx.now : new Date(to);
    const rowsFrom = from === undefined ? null : new Date(from);
    if (rowsFrom !== null && rowsFrom >= rowsTo) throw invalid('/from', 'must be before to');
    const span = { from: rowsFrom, to: rowsTo };
    await remarkArchived(tx, ['decisions', 'interactions', 'impressions'], span, 'the training leaves out');
    return { rowsFrom, rowsTo, schemaId: null, targetField: null };
  }
  if (from !== undefined) throw invalid('/from', "can't be combined with a schema, whose rows have no time");
  if (to !== undefined) throw invalid('/to', "can't be combined with a schema, whose rows have no time");
  const tables = await readSchemaTables(tx);
  const found = tables.find(({ schemaId, name }) =>
    datasetSchemaId === undefined ? name === model.targetSchemaKey : schemaId === datasetSchemaId.toLowerCase(),
  );
  if (found === undefined) {
    throw new AppError('reference_not_found', {
      detail: 'The schema to train on does not exist.',
      errors: [{ path: '/datasetSchemaId', message: 'must be an existing schema' }],
    });
  }
  if (field === null) throw invalid('/targetField', 'is required to train on the rows of a schema');
  assertColumns(model, found, field);
  return { rowsFrom: null, rowsTo: tx.now, schemaId: found.schemaId, targetField: field };
}

/** Throws 400 for a label that the schema doesn't have, or when it has no column of any predictor. */
function assertColumns(model: ModelRow, { name, columns }: SchemaTable, targetField: string): void {
  if (!columns.some((column) => column.name === targetField && !column.neverStore)) {
    throw invalid('/targetField', `must be a field of ${name}`);
  }
  const names = new Set(columns.filter(({ neverStore }) => !neverStore).map((column) => column.name));
  const missing = model.predictors.filter((predictor) => {
    const source = typeof predictor === 'string' ? predictor : sourceIn(predictor);
    const last = source?.split('.').at(-1);
    return last === undefined || !names.has(last);
  });
  if (missing.length === 0) return;
  const [first] = missing;
  throw invalid(
    '/datasetSchemaId',
    `has no column for the predictor ${typeof first === 'string' ? first : sourceIn(first)}`,
  );
}

function sourceIn(predictor: unknown): string | null {
  if (typeof predictor !== 'object' || predictor === null) return null;
  const { source, name } = predictor as { readonly source?: unknown; readonly name?: unknown };
  return typeof source === 'string' ? source : typeof name === 'string' ? name : null;
}

const audit = (tx: Tx, model: ModelRow, after: object) =>
  recordAudit(tx, {
    action: 'train',
    entityType: 'algorithmModel',
    entityId: model.id,
    entityName: model.name,
    entityVersion: model.version,
    after,
  });

/** Cancels the open training of a model. Throws 404, 409 `invalid_transition` when none is open. */
export async function cancelTraining(tx: Tx, modelId: string) {
  const model = await getRecord(tx, modelSpec, modelId);
  const open = await lockOpenTrainingOf(tx, model.id);
  if (open === null) throw new AppError('invalid_transition', { detail: 'No training of this model is running.' });
  await failTraining(tx, open.id, 'cancelled');
  await audit(tx, model, { jobId: open.id, cancelled: true });
  return (await showModels(tx, [model], 'one'))[0]!;
}
