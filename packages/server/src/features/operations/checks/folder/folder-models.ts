import {
  AlgorithmModelCreate,
  type AlgorithmModelType,
  algorithmModelTypes,
  BehavioralMetricCreate,
  type ErrorEntry,
  ExperimentCreate,
  type RegistryStatus,
  registryStatuses,
} from '@arbiter/contract';
import { columnDefaults } from '../../../../db/column-defaults.ts';
import { cronProblem } from '../../../../jobs/index.ts';
import { asJson, asJsonObject } from '../../../../platform/json.ts';
import { withDefaults } from '../../../catalogue/catalogue-records/index.ts';
import { experimentsForPlans, problemsOfArms } from '../../../catalogue/experiments/index.ts';
import { type ModelFacts, problemsOf } from '../../../catalogue/models/index.ts';
import type { DecisionMetric } from '../../../data/behavioral-metrics/index.ts';
import type { FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';
import type { RefuseFile } from './folder-places.ts';

/** Returns the models, by key. */
export function readModels(objects: readonly FolderObject[], refuse: RefuseFile): ModelFacts[] {
  const models = bodiesOf(objects, 'algorithm-models', AlgorithmModelCreate).flatMap(
    ({ id, path, body, values }): ModelFacts[] => {
      const { key = '', status, config, predictors, family } = withDefaults(columnDefaults.algorithm_models, body);
      refuse(path, modelProblems(body, problemsOf(body.modelType, { ...body, config })));
      const modelType = typeIn(body.modelType);
      if (modelType === null) return [];
      const read = { config: asJsonObject(config), predictors: predictors.map(asJson) };
      return [{ id, key, status, family, modelType, ...read, registryStatus: statusIn(values.registryStatus) }];
    },
  );
  return models.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The schedule is read when the model is stored, after everything else. */
function modelProblems(
  { learnSchedule = null }: Pick<AlgorithmModelCreate, 'learnSchedule'>,
  problems: readonly ErrorEntry[],
): readonly ErrorEntry[] {
  const message = problems.length > 0 || learnSchedule === null ? null : cronProblem(learnSchedule);
  return message === null ? problems : [{ path: '', message }];
}

const typeIn = (value: string): AlgorithmModelType | null => algorithmModelTypes.find((type) => type === value) ?? null;

const statusIn = (value: unknown): RegistryStatus =>
  registryStatuses.find((status) => status === value) ?? columnDefaults.algorithm_models.registryStatus;

/** Returns the experiments as plans hold them. */
export function readExperiments(
  objects: readonly FolderObject[],
  models: readonly ModelFacts[],
  isEnabled: boolean,
  refuse: RefuseFile,
) {
  const experiments = bodiesOf(objects, 'experiments', ExperimentCreate).map(({ id, path, body }) => {
    const { trafficSplit, ...row } = withDefaults(columnDefaults.experiments, body);
    const split = typeof trafficSplit === 'number' ? { championPct: trafficSplit } : trafficSplit;
    refuse(path, problemsOfArms({ ...row, trafficSplit: split }));
    return { ...row, id, trafficSplit: split };
  });
  const byKey = experiments.sort((a, b) => (a.key < b.key ? -1 : 1));
  return experimentsForPlans(byKey, models, isEnabled);
}

/** Returns the metrics as decisions use them, by id. */
export const readMetrics = (objects: readonly FolderObject[]): DecisionMetric[] =>
  bodiesOf(objects, 'behavioral-metrics', BehavioralMetricCreate).map(({ id, body }) => {
    const {
      key = '',
      name,
      status,
      aggregateFunction,
      groupByDimensions,
      computeMode,
      windowDays,
    } = withDefaults(columnDefaults.behavioral_metrics, body);
    return {
      id,
      key,
      name,
      status,
      aggregateFunction,
      groupByDimensions: [...groupByDimensions],
      computeMode,
      windowDays,
    };
  });
