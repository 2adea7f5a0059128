import {
  type AlgorithmModel,
  type AlgorithmModelCreate,
  type AlgorithmModelType,
  algorithmModelTypes,
  type RegistryStatus,
} from '@arbiter/contract';
import { modelLearning } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { asJsonObject } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';
import {
  type Addressed,
  createRecord,
  getRecord,
  inUse,
  inUseEntry,
  lockRecord,
  type NewRecord,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { outcomeKeys } from '../outcomes/index.ts';
import { canMove, problemsOf, remarksOf } from './models.rules.ts';
import { lockChampion, lockFamily, type ModelRow, modelSpec } from './models.store.ts';
import { type LearnedState, lockState, makeState, readStates, replaceState } from './states.store.ts';

/** A flow that scores by a model. */
export interface ModelUse {
  readonly name: string;
  readonly id: string;
}

/** Port for dependent features: active flows whose published version uses one of these model names. */
export type FindModelUses = (tx: Tx, names: readonly string[]) => Promise<readonly ModelUse[]>;

/** Returns models as answers return them; `one`: with their learned state. */
export async function showModels(tx: Tx, rows: readonly ModelRow[], view: 'one' | 'list'): Promise<AlgorithmModel[]> {
  const states = await readStates(
    tx,
    rows.map(({ id }) => id),
    view === 'one',
  );
  return rows.map((row) => showModel(row, states.get(row.id) ?? null, view));
}

function showModel(
  { modelState: _began, ...row }: ModelRow,
  learned: LearnedState | null,
  view: 'one' | 'list',
): AlgorithmModel {
  return {
    ...toWire(row),
    config: { ...row.config },
    predictors: [...row.predictors],
    outcomeWeights: { ...row.outcomeWeights },
    ...(view === 'one' ? { modelState: learned === null ? null : { ...learned.state } } : {}),
    stateVersion: learned?.version ?? null,
    stateHash: learned?.hash ?? null,
    trainingSamples: learned?.samples ?? 0,
    targetSchemaKey: null,
    targetField: null,
    learnSchedule: null,
    metrics: null,
    metricsHistory: [],
    training: null,
    lastTrainedAt: learned?.learnedAt?.toISOString() ?? null,
  };
}

/** A past version as answers return it: its initial state replaces the learned one. */
export const showPastModel = (row: ModelRow): object => toWire(row);

/**
 * Creates a model. Bandits learn unless told otherwise. Throws 400 for an unavailable type, or a config that can't do
 * anything.
 */
export async function createModel(tx: Tx, body: AlgorithmModelCreate): Promise<ModelRow> {
  const { modelType, config = {} } = body;
  refuseProblems(problemsOf(modelType, { ...body, config }));
  if (!isAvailable(modelType)) throw new Error(`models of type ${modelType} can't be stored`);
  tx.remarks.push(...remarksOf(modelType, config), ...(await unknownOutcomes(tx, body.outcomeWeights)));
  const learning = modelLearning(modelType);
  const learns = learning !== null;
  const row = await createRecord(tx, modelSpec, {
    autoLearn: learns,
    learnMode: learns ? 'continuous' : 'none',
    ...stored(body),
    modelType,
  });
  if (learning !== null) await makeState(tx, row.id, learning.empty(asJsonObject(config)));
  return row;
}

const isAvailable = (type: string): type is AlgorithmModelType => algorithmModelTypes.some((known) => known === type);

/** The columns of a body; JSON comes from the request as it is. */
function stored({
  config,
  predictors,
  key,
  modelType: _type,
  ...fields
}: Partial<AlgorithmModelCreate>): NewRecord<ModelRow> {
  return {
    ...fields,
    ...(key === undefined ? {} : { key }),
    ...(config === undefined ? {} : { config: asJsonObject(config) }),
    ...(predictors === undefined ? {} : { predictors: predictors as ModelRow['predictors'] }),
  };
}

type ModelChanges = Partial<Omit<AlgorithmModelCreate, 'key' | 'modelType'>> & {
  readonly modelState?: Readonly<Record<string, unknown>> | null;
};

/**
 * Changes the given fields; a given state replaces the learned one. Throws 409 `in_use` when a flow in use names a
 * model being archived, `invalid_transition` when a champion changes its family.
 */
export async function changeModel(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  { modelState, ...changes }: ModelChanges,
  findUses: FindModelUses,
): Promise<ModelRow> {
  return updateRecord(tx, modelSpec, id, {
    rowVersion,
    ...(changes.status === 'archived' ? { lock: 'delete' as const } : {}),
    async change(current) {
      refuseProblems(
        problemsOf(current.modelType, { ...changes, ...(modelState === undefined ? {} : { modelState }) }),
      );
      tx.remarks.push(
        ...remarksOf(current.modelType, changes.config),
        ...(await unknownOutcomes(tx, changes.outcomeWeights)),
      );
      if (changes.status === 'archived') await assertUnused(tx, current, 'path', findUses);
      if (changes.family !== undefined && changes.family !== current.family && current.registryStatus === 'champion') {
        throw new AppError('invalid_transition', {
          detail: "a champion can't leave its family; move it to another registry stage first",
        });
      }
      if (modelState === undefined || modelState === null) return stored(changes);
      const state = asJsonObject(modelState);
      await replaceState(tx, current.id, state);
      return { ...stored(changes), modelState: state };
    },
  });
}

/** Returns what has no effect in a stored model. */
export const modelRemarksOf = async (tx: Tx, { modelType, config, outcomeWeights }: ModelRow): Promise<Remark[]> => [
  ...remarksOf(modelType, config),
  ...(await unknownOutcomes(tx, outcomeWeights)),
];

/** Weights of outcomes that the tenant does not have: they act when there is such a type. */
async function unknownOutcomes(tx: Tx, weights: AlgorithmModelCreate['outcomeWeights']) {
  if (weights === undefined) return [];
  const known = await outcomeKeys(tx);
  return Object.keys(weights)
    .filter((key) => !known.has(key))
    .map((key) => ({
      path: `/outcomeWeights/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      nearest: null,
      reason: 'must be the key of an existing outcome type',
      code: 'unknown_reference' as const,
    }));
}

/** The names by which flows may mean the model: its key, and as champion its family. */
const namesOf = ({ key, family, registryStatus }: ModelRow): string[] =>
  family !== null && registryStatus === 'champion' ? [key, family] : [key];

async function assertUnused(tx: Tx, row: ModelRow, addressed: Addressed, findUses: FindModelUses): Promise<void> {
  const uses = await findUses(tx, namesOf(row));
  const entries = uses.map((use) => inUseEntry(addressed, 'decision flow', use.name, use.id));
  if (entries.length > 0) throw inUse('model', entries);
}

/** Soft-deletes a model; 409 `in_use` while an active flow's published version names it. What it learned stays. */
export async function deleteModel(tx: Tx, id: string, addressed: Addressed, findUses: FindModelUses): Promise<void> {
  await softDeleteRecord(tx, modelSpec, id, { addressed, check: (row) => assertUnused(tx, row, addressed, findUses) });
}

/** Stores the learned state as a version of the model, and starts over as a draft. Throws 400 when it doesn't learn. */
export async function resetLearning(tx: Tx, id: string): Promise<ModelRow> {
  const seen = await getRecord(tx, modelSpec, id);
  const learning = modelLearning(seen.modelType);
  if (learning === null) throw new AppError('model_unsupported', { detail: `a ${seen.modelType} doesn't learn` });
  const updated = await updateRecord(tx, modelSpec, id, {
    change: async (current) => ({ modelState: (await lockState(tx, current.id)).state }),
  });
  await replaceState(tx, updated.id, learning.empty(updated.config), { samples: 0 });
  return updateRecord(tx, modelSpec, id, { change: () => ({ modelState: null, status: 'draft' as const }) });
}

/**
 * Moves a model in the registry; the champion that the family had is archived with it. 409 `invalid_transition`, and `in_use`
 * when a flow in use names the family and would have no champion of it any more.
 */
export async function promoteModel(
  tx: Tx,
  id: string,
  toStatus: RegistryStatus,
  findUses: FindModelUses,
): Promise<ModelRow> {
  const { family } = await getRecord(tx, modelSpec, id);
  if (family !== null) await lockFamily(tx, family);
  // A flow that is being published and names the model, by whatever name, is waited for.
  const row = await lockRecord(tx, modelSpec, id, 'delete');
  if (!canMove(row.registryStatus, toStatus)) {
    throw new AppError('invalid_transition', {
      detail: `A model with registry status ${row.registryStatus} can't become ${toStatus}.`,
      errors: [{ path: '/toStatus', message: `can't follow ${row.registryStatus}` }],
    });
  }
  if (row.registryStatus === 'champion' && row.family !== null) {
    const led = row.family;
    // Files that are applied name the next champion in the same transaction.
    tx.atEnd(() => assertLed(tx, led, findUses));
  }
  if (toStatus === 'champion' && row.family !== null) {
    const other = await lockChampion(tx, row.family, row.id);
    if (other !== null) {
      await updateRecord(tx, modelSpec, other, {
        action: 'promote',
        change: () => ({ registryStatus: 'archived' as const }),
      });
    }
  }
  return updateRecord(tx, modelSpec, id, { action: 'promote', change: () => ({ registryStatus: toStatus }) });
}

async function assertLed(tx: Tx, family: string, findUses: FindModelUses): Promise<void> {
  if ((await lockChampion(tx, family)) !== null) return;
  const entries = (await findUses(tx, [family])).map((use) => ({
    path: '/toStatus',
    message: `would leave the family ${JSON.stringify(family)} without a champion, but decision flow ${JSON.stringify(use.name)} (${use.id}) scores with it; promote another of its models instead`,
  }));
  if (entries.length > 0) throw inUse('model', entries);
}
