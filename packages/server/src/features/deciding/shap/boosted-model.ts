import { type CaseExplainer, type JsonObject, openExplainer } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import { type ModelRow, modelSpec, readStates } from '../../catalogue/models/index.ts';

export interface BoostedModel {
  readonly row: ModelRow;
  readonly explainer: CaseExplainer;
}

/** Returns a model with trees. Throws 404, 400 `model_unsupported` for another type or without trees. */
export async function openBoosted(tx: Tx, row: ModelRow): Promise<BoostedModel> {
  if (row.modelType !== 'gradient_boosted') {
    throw new AppError('model_unsupported', {
      detail: `SHAP values need a model of type gradient_boosted, and ${row.key} is a ${row.modelType} model.`,
    });
  }
  const state = (await readStates(tx, [row.id], true)).get(row.id)?.state ?? null;
  const explainer = openExplainer(row.predictors, state as JsonObject | null);
  if (explainer !== null) return { row, explainer };
  throw new AppError('model_unsupported', { detail: `The model ${row.key} has no trees. Train it or import one.` });
}

/** Returns a model of the tenant. Throws 404. */
export const findModel = (tx: Tx, id: string): Promise<ModelRow> => getRecord(tx, modelSpec, id);
