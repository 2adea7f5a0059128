import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark } from '../compile/config-problems.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { mustBeOneOf } from '../words/word-texts.ts';
import { epsilonGreedy } from './epsilon-greedy.ts';
import type { Learning, ModelKind } from './model-kind.ts';
import { scorecard } from './scorecard.ts';
import { thompsonBandit } from './thompson-bandit.ts';

/** Types of models that can score: one file and one line each. */
const kinds: readonly ModelKind[] = [scorecard, thompsonBandit, epsilonGreedy];

export const modelKinds: ReadonlyMap<string, ModelKind> = new Map(kinds.map((kind) => [kind.type, kind]));

/** Types of models that may be stored. */
const modelTypes: readonly string[] = kinds.map(({ type }) => type);

/** The configs of all model types, for the documentation of the API. */
export const modelShapes: Readonly<Record<string, ConfigShape>> = Object.fromEntries(
  kinds.map(({ type, fields, required }) => [type, { fields, required }]),
);

/** Types of docs/design/api-decisioning.md 15 that come later. */
const unbuiltTypes: readonly string[] = [
  'bayesian',
  'logistic_regression',
  'gradient_boosted',
  'online_learner',
  'external_endpoint',
  'neural_cf',
  'onnx_imported',
];

/** Why there can be no model of this type; null: there can. */
export function modelTypeProblem(type: string): string | null {
  if (modelKinds.has(type)) return null;
  if (unbuiltTypes.includes(type))
    return `the model type ${type} is not available in this version; ${mustBeOneOf(null, modelTypes)}`;
  return mustBeOneOf(type, modelTypes);
}

/** Returns the problems of a model config of this type. */
export const modelProblems = (type: string, config: JsonObject): readonly ConfigProblem[] =>
  modelKinds.get(type)?.check(config) ?? [];

/** Returns what has no effect in a config without problems. */
export const modelRemarks = (type: string, config: JsonObject): readonly ConfigRemark[] =>
  modelKinds.get(type)?.remarks(config) ?? [];

/** Returns how models of this type learn; null when they don't. */
export const modelLearning = (type: string): Learning | null => modelKinds.get(type)?.learning ?? null;
