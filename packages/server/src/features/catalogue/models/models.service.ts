import {
  type AlgorithmModel,
  type AlgorithmModelCreate,
  type AlgorithmModelType,
  algorithmModelTypes,
} from '@arbiter/contract';
import { learnsFromStart, modelState as stateRules } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { clearSchedule } from '../../../jobs/index.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { asJsonObject } from '../../../platform/json.ts';
import type { Remark } from '../../../platform/remark.ts';
import {
  type Addressed,
  createRecord,
  getRecord,
  inUse,
  inUseEntry,
  type NewRecord,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { outcomeKeys } from '../outcomes/index.ts';
import { type EndpointPorts, hideEndpoint, keepSecret } from './endpoint.service.ts';
import { predictorsOf } from './import.rules.ts';
import { problemsOf, remarksOf } from './models.rules.ts';
import { type ModelRow, modelSpec } from './models.store.ts';
import { followSchedule, retrainModelJob } from './retrain-schedule.ts';
import { showHistory, showMetrics, showTraining } from './show-training.ts';
import { type LearnedState, lockState, makeState, readStates, replaceState } from './states.store.ts';
import { completedTrainings, newestCompleted, newestTrainings, type ShownTraining } from './trainings.store.ts';

/** A flow that scores by a model. */
export interface ModelUse {
  readonly name: string;
  readonly id: string;
}

/** Port for dependent features: active flows whose published version uses one of these model names. */
export type FindModelUses = (tx: Tx, names: readonly string[]) => Promise<readonly ModelUse[]>;

/** Port for experiments: the active ones that score with this model. */
export type FindExperimentUses = (tx: Tx, modelId: string) => Promise<readonly ModelUse[]>;

interface FindUses {
  readonly findModelUses: FindModelUses;
  readonly findExperimentUses: FindExperimentUses;
}

/** Returns models as answers return them; `one`: with their learned state. */
export async function showModels(tx: Tx, rows: readonly ModelRow[], view: 'one' | 'list'): Promise<AlgorithmModel[]> {
  const ids = rows.map(({ id }) => id);
  const states = await readStates(tx, ids, view === 'one');
  const trainings = await newestTrainings(tx, ids);
  const [only] = rows;
  const history = view === 'one' && only !== undefined ? await completedTrainings(tx, only.id) : [];
  const metrics = view === 'one' ? new Map([[only?.id, history[0]]]) : await newestCompleted(tx, ids);
  return rows.map((row) =>
    showModel(row, states.get(row.id) ?? null, view, {
      metrics: metrics.get(row.id)?.metrics ?? null,
      history,
      newest: trainings.get(row.id),
      trained: metrics.get(row.id),
    }),
  );
}

interface ModelTrainings {
  readonly metrics: ShownTraining['metrics'];
  readonly history: readonly ShownTraining[];
  readonly newest: ShownTraining | undefined;
  readonly trained: ShownTraining | undefined;
}

function showModel(
  { modelState: _began, ...row }: ModelRow,
  learned: LearnedState | null,
  view: 'one' | 'list',
  { metrics, history, newest, trained }: ModelTrainings,
): AlgorithmModel {
  const lastTrainedAt = [learned?.learnedAt ?? null, trained?.finishedAt ?? null]
    .filter((at) => at !== null)
    .sort((a, b) => b.getTime() - a.getTime())[0];
  return {
    ...toWire(row),
    config: { ...row.config },
    predictors: [...row.predictors],
    outcomeWeights: { ...row.outcomeWeights },
    ...(view === 'one' ? { modelState: learned === null ? null : { ...learned.state } } : {}),
    stateVersion: learned?.version ?? null,
    stateHash: learned?.hash ?? null,
    trainingSamples: learned?.samples ?? 0,
    metrics: metrics === null ? null : showMetrics(metrics),
    metricsHistory: showHistory(history),
    training: showTraining(newest, row.version),
    lastTrainedAt: lastTrainedAt?.toISOString() ?? null,
  };
}

/** A past version as answers return it: its initial state replaces the learned one. */
export const showPastModel = (row: ModelRow): object => toWire(row);

/**
 * Creates a model. Bandits learn unless told otherwise. Throws 400 for an unavailable type, or a config that can't do
 * anything. `ports`: null where no models with an endpoint are made.
 */
export async function createModel(
  tx: Tx,
  body: AlgorithmModelCreate,
  ports: EndpointPorts | null = null,
): Promise<ModelRow> {
  const { modelType, config = {} } = body;
  refuseProblems(problemsOf(modelType, { ...body, config }));
  const endpoint = endpointIn(modelType, config, ports);
  if (!isAvailable(modelType)) throw new Error(`models of type ${modelType} can't be stored`);
  tx.remarks.push(...remarksOf(modelType, config), ...(await unknownOutcomes(tx, body.outcomeWeights)));
  const learns = learnsFromStart(modelType);
  const row = await createRecord(tx, modelSpec, {
    autoLearn: learns,
    learnMode: learns ? 'continuous' : 'none',
    ...stored(endpoint === null ? body : { ...body, config: endpoint.config }),
    modelType,
  });
  if (endpoint !== null && ports !== null) await keepSecret(tx, ports, row.id, endpoint);
  const rules = stateRules(modelType);
  if (rules !== null) await makeState(tx, row.id, rules.empty(asJsonObject(config)));
  if (row.learnSchedule !== null) await followSchedule(tx, row);
  return row;
}

/** The endpoint of a config, with its secret hidden; null for other types. */
function endpointIn(modelType: string, config: AlgorithmModelCreate['config'], ports: EndpointPorts | null) {
  if (modelType !== 'external_endpoint' || config === undefined) return null;
  if (ports === null) throw new Error('a model with an endpoint needs its ports');
  return hideEndpoint(asJsonObject(config), ports);
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
 * Changes the given fields; a given state replaces the learned one. Throws 409 `in_use` when a flow or an experiment in
 * use names a model being archived, `invalid_transition` when a champion changes its family.
 */
export async function changeModel(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  { modelState, ...changes }: ModelChanges,
  { endpoints, ...findUses }: FindUses & { readonly endpoints: EndpointPorts },
): Promise<ModelRow> {
  const changed = await updateRecord(tx, modelSpec, id, {
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
          detail: "A champion can't leave its family. Move it to another registry stage first.",
        });
      }
      const endpoint = endpointIn(current.modelType, changes.config, endpoints);
      if (endpoint !== null) {
        await keepSecret(tx, endpoints, current.id, endpoint);
        return stored({ ...changes, config: endpoint.config });
      }
      if (modelState === undefined || modelState === null) return stored(changes);
      const state = asJsonObject(modelState);
      await replaceState(tx, current.id, state);
      const { predictors = current.predictors } = changes;
      // Without predictors, decisions would read nothing of what the state knows.
      const named = predictors.length === 0 && 'trees' in state ? { predictors: [...predictorsOf(state)] } : {};
      return { ...stored({ ...changes, ...named }), modelState: state };
    },
  });
  await followSchedule(tx, changed);
  return changed;
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

async function assertUnused(
  tx: Tx,
  row: ModelRow,
  addressed: Addressed,
  { findModelUses, findExperimentUses }: FindUses,
): Promise<void> {
  const flows = await findModelUses(tx, namesOf(row));
  const experiments = await findExperimentUses(tx, row.id);
  const entries = [
    ...flows.map((use) => inUseEntry(addressed, 'decision flow', use.name, use.id)),
    ...experiments.map((use) => inUseEntry(addressed, 'experiment', use.name, use.id)),
  ];
  if (entries.length > 0) throw inUse('model', entries);
}

/** Soft-deletes a model; 409 `in_use` while an active flow's published version names it, or an
 * active experiment. What it learned stays. */
export async function deleteModel(tx: Tx, id: string, addressed: Addressed, findUses: FindUses): Promise<void> {
  await softDeleteRecord(tx, modelSpec, id, { addressed, check: (row) => assertUnused(tx, row, addressed, findUses) });
  await clearSchedule(tx, retrainModelJob, id.toLowerCase());
}

/** Stores the learned state as a version of the model, and starts over as a draft. Throws 400 when it doesn't learn. */
export async function resetLearning(tx: Tx, id: string): Promise<ModelRow> {
  const seen = await getRecord(tx, modelSpec, id);
  const rules = stateRules(seen.modelType);
  if (rules === null) throw new AppError('model_unsupported', { detail: `A ${seen.modelType} model doesn't learn.` });
  const updated = await updateRecord(tx, modelSpec, id, {
    change: async (current) => ({ modelState: (await lockState(tx, current.id)).state }),
  });
  await replaceState(tx, updated.id, rules.empty(updated.config), { samples: 0 });
  return updateRecord(tx, modelSpec, id, { change: () => ({ modelState: null, status: 'draft' as const }) });
}
