import type { AlgorithmModelCreate, ErrorEntry, RegistryStatus } from '@arbiter/contract';
import {
  type Json,
  modelLearn,
  modelProblems,
  modelRemarks,
  modelTrainer,
  modelTypeProblem,
  predictorProblems,
  modelState as stateRules,
} from '@arbiter/engine';
import { asJsonObject } from '../../../platform/json.ts';
import { type Remark, remarksAt } from '../../../platform/remark.ts';

type ModelValues = Partial<
  Pick<AlgorithmModelCreate, 'config' | 'predictors' | 'autoLearn' | 'learnMode' | 'learnSchedule'>
> & {
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
  const rules = stateRules(modelType);
  const problems: ErrorEntry[] = [];
  if (config !== undefined) problems.push(...below('/config', modelProblems(modelType, asJsonObject(config))));
  // The body was parsed from JSON.
  if (predictors !== undefined) problems.push(...below('/predictors', predictorProblems(predictors as Json)));
  // Types without a state show null, and clients may send back what they read.
  if (modelState !== undefined && !(rules === null && modelState === null)) {
    if (rules === null) problems.push({ path: '/modelState', message: `a ${modelType} doesn't learn` });
    else problems.push(...below('/modelState', rules.check(modelState as Json)));
  }
  return [...problems, ...learningProblems(modelType, learning)];
}

/** Returns what keeps a model of this type from learning so. */
function learningProblems(
  modelType: string,
  { autoLearn, learnMode, learnSchedule }: Pick<ModelValues, 'autoLearn' | 'learnMode' | 'learnSchedule'>,
): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const learns = modelLearn(modelType) !== null;
  const trains = modelTrainer(modelType) !== null;
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  if (!learns && !trains) {
    if (autoLearn === true) refuse('/autoLearn', `a ${modelType} doesn't learn`);
    if ((learnMode ?? 'none') !== 'none') refuse('/learnMode', `a ${modelType} doesn't learn`);
  } else if (!learns && learnMode === 'continuous') {
    refuse('/learnMode', `outcomes don't teach a ${modelType}; use scheduled`);
  } else if (!trains && learnMode === 'scheduled') {
    refuse('/learnMode', `a ${modelType} isn't trained; use continuous`);
  }
  if ((learnSchedule ?? null) !== null && !trains) refuse('/learnSchedule', `a ${modelType} isn't trained`);
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
