import type { ModelImport } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createModel } from './models.service.ts';
import type { ModelRow } from './models.store.ts';
import type { ModelPlace, PreparedImport, ReadModelFile } from './prepare-import.ts';
import { replacePreparedState } from './states.store.ts';

type OpenedImport = Extract<PreparedImport, { readonly state: unknown }>;

/** Reads a model file, before a transaction. Throws 400 `validation_failed`, 503 `overloaded`. */
export async function openImport(read: ReadModelFile, sent: ModelImport, place: ModelPlace): Promise<OpenedImport> {
  const prepared = await read(sent, place);
  if ('problems' in prepared) throw new AppError('validation_failed', { errors: [...prepared.problems] });
  return prepared;
}

/** Creates a draft with these trees. Throws 409 `duplicate_key`. */
export async function importModel(
  tx: Tx,
  { key, name, family }: ModelImport,
  { state, predictors }: OpenedImport,
): Promise<ModelRow> {
  const row = await createModel(tx, {
    key,
    name,
    modelType: 'gradient_boosted',
    predictors: [...predictors],
    ...(family === undefined ? {} : { family }),
  });
  await replacePreparedState(tx, row.id, state, 0);
  return row;
}
