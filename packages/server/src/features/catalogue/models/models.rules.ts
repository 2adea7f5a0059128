import type { AlgorithmModelCreate, ErrorEntry, RegistryStatus } from '@arbiter/contract';
import {
  type Json,
  modelLearning,
  modelProblems,
  modelRemarks,
  modelTypeProblem,
  predictorProblems,
} from '@arbiter/engine';
import { asJsonObject } from '../../../platform/json.ts';
import { type Remark, remarksAt } from '../../../platform/remark.ts';

type ModelValues = Partial<Pick<AlgorithmModelCreate, 'config' | 'predictors' | 'autoLearn' | 'learnMode'>> & {
  readonly modelState?: unknown;
};

const below = (path: string, problems: readonly ErrorEntry[]): ErrorEntry[] =>
  problems.map((problem) => ({ ...problem, path: path + problem.path }));

/** Returns what keeps a model of this type from being stored with these values. Doesn't judge missing values. */
export function problemsOf(
  modelType: string,
  { config, predictors, modelState, ...learning }: ModelValues,
): ErrorEntry[] {
  const unknown = modelTypeProblem(modelType);
  if (unknown !== null) return [{ path: '/modelType', message: unknown }];
  const learns = modelLearning(modelType);
  const problems: ErrorEntry[] = [];
  if (config !== undefined) problems.push(...below('/config', modelProblems(modelType, asJsonObject(config))));
  // The body was parsed from JSON.
  if (predictors !== undefined) problems.push(...below('/predictors', predictorProblems(predictors as Json)));
  // Types that don't learn show null, and clients may send back what they read.
  if (modelState !== undefined && !(learns === null && modelState === null)) {
    if (learns === null) problems.push({ path: '/modelState', message: `a ${modelType} doesn't learn` });
    else problems.push(...below('/modelState', learns.check(modelState as Json)));
  }
  if (learns !== null) return problems;
  if (learning.autoLearn === true) problems.push({ path: '/autoLearn', message: `a ${modelType} doesn't learn` });
  if (learning.learnMode === 'continuous')
    problems.push({ path: '/learnMode', message: `a ${modelType} doesn't learn` });
  return problems;
}

/** Returns what has no effect in a config without problems. */
export const remarksOf = (modelType: string, config: AlgorithmModelCreate['config']): Remark[] =>
  config === undefined ? [] : remarksAt('/config', modelRemarks(modelType, asJsonObject(config)));

const moves: Readonly<Record<RegistryStatus, readonly RegistryStatus[]>> = {
  draft: ['shadow', 'challenger', 'archived'],
  shadow: ['challenger', 'champion', 'archived', 'draft'],
  challenger: ['champion', 'shadow', 'archived', 'draft'],
  champion: ['challenger', 'shadow', 'archived'],
  archived: ['draft'],
};

/** Whether promote may move a model so (docs/design/api-decisioning.md 15). */
export const canMove = (from: RegistryStatus, to: RegistryStatus): boolean => moves[from].includes(to);

/** The shortest way of a model through the registry; empty when it is there. */
export function registryMoves(from: RegistryStatus, to: RegistryStatus): readonly RegistryStatus[] {
  const ways = new Map<RegistryStatus, readonly RegistryStatus[]>([[from, []]]);
  for (const [status, way] of ways) {
    if (status === to) return way;
    for (const next of moves[status]) if (!ways.has(next)) ways.set(next, [...way, next]);
  }
  throw new Error(`the status can't change from ${from} to ${to}`);
}
