import type { ModelDrift } from '@arbiter/contract';
import { driftOf, type Json, modelTrainer, type Predictor, round6, scoreRows } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import {
  type MeasureModel,
  type ModelRow,
  modelSpec,
  readStates,
  trainingBaseline,
} from '../../catalogue/models/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { newestItems } from '../interactions/index.ts';
import { readRecordedColumns, readRecordedFeatures } from '../sealed-records/index.ts';
import { addRow, newTrainingSet } from './training-set.ts';

const defaultDays = 7;
const dayMs = 86_400_000;
/** Items of decisions that count at most. */
const maxItems = 2_000;
/** Decisions opened at a time. */
const perSlice = 100;
const moderatePsi = 0.1;
const largePsi = 0.25;

/** Compares recent decisions with the model's training. Throws 404, 400 `model_unsupported` for a type that isn't trained. */
export async function readDrift(tx: Tx, keys: CustomerKeys, modelId: string, days = defaultDays): Promise<ModelDrift> {
  const model = await getRecord(tx, modelSpec, modelId);
  if (modelTrainer(model.modelType) === null) {
    throw new AppError('model_unsupported', { detail: `A ${model.modelType} model can't be trained.` });
  }
  const from = new Date(tx.now.getTime() - days * dayMs);
  const { predictors, rows, compared } = await recentRows(tx, keys, model, from);
  const baseline = await trainingBaseline(tx, model.id);
  const set = {
    features: predictors.map(({ name }) => name),
    categorical: new Set(predictors.filter(({ type }) => type === 'categorical').map(({ name }) => name)),
    rows,
  };
  const state = (await readStates(tx, [model.id], true)).get(model.id)?.state;
  const scores = state === undefined ? [] : scoreRows(model, state, set);
  const failed = scores.filter(({ score }) => score === null).length;
  const drift = baseline?.distribution == null || set.rows.length === 0 ? [] : driftOf(baseline.distribution, compared);
  return {
    modelId: model.id,
    version: baseline?.trainedVersion ?? null,
    from: from.toISOString(),
    to: tx.now.toISOString(),
    trainingRows: Number(baseline?.samples ?? 0),
    recentRows: set.rows.length,
    errorRate: scores.length === 0 ? null : round6(failed / scores.length),
    predictors: drift
      .sort((a, b) => b.psi - a.psi || (a.predictor < b.predictor ? -1 : 1))
      .map(({ predictor, psi, chiSquare, degreesOfFreedom, pValue }) => ({
        predictor,
        psi: round6(psi),
        level: psi > largePsi ? 'large' : psi >= moderatePsi ? 'moderate' : 'stable',
        test: 'chi_square',
        statistic: round6(chiSquare),
        degreesOfFreedom,
        pValue: Math.min(1, Math.max(0, round6(pValue))),
      })),
  };
}

/** How a model fares on recent decisions, for the guard of promotions. */
export const measureModel =
  (keys: CustomerKeys): MeasureModel =>
  async (tx, model) => {
    if (modelTrainer(model.modelType) === null) return { psi: {}, errorRate: null };
    const { predictors, errorRate } = await readDrift(tx, keys, model.id);
    return { psi: Object.fromEntries(predictors.map(({ predictor, psi }) => [predictor, psi])), errorRate };
  };

/** Columns of the customer that a predictor may read; without them in the record, a missing value says nothing. */
const columnsOf = ({ feature }: Predictor): string[] =>
  feature.paths.flatMap(([root, column]) => (root === 'customer' && column !== undefined ? [column] : []));

/** Recent decisions as the model reads them, and the same with values that weren't recorded left undefined. */
async function recentRows(tx: Tx, keys: CustomerKeys, model: ModelRow, from: Date) {
  const items = await newestItems(tx, from, maxItems);
  const rows = newTrainingSet(model.predictors);
  const columns = rows.predictors.map(columnsOf);
  const compared: (Json | undefined)[][] = [];
  for (let at = 0; at < items.length; at += perSlice) {
    const slice = items.slice(at, at + perSlice);
    const ids = [...new Set(slice.map(({ decisionId }) => decisionId))];
    const features = await readRecordedFeatures(tx, keys, ids);
    const recorded = await readRecordedColumns(tx, ids);
    for (const { decisionId, offerId } of slice) {
      const read = features.get(decisionId)?.(rows.predictors, offerId) ?? null;
      if (read === null) continue;
      addRow(rows, read, 0, 1);
      const holds = recorded.get(decisionId) ?? (() => true);
      compared.push(
        rows.predictors.map(({ name }, place) => {
          const value = read[name] ?? null;
          return value === null && !(columns[place] ?? []).every(holds) ? undefined : value;
        }),
      );
    }
  }
  const names = rows.predictors.map(({ name }) => name);
  return { ...rows, compared: { features: names, rows: compared.map((values) => ({ values })) } };
}
