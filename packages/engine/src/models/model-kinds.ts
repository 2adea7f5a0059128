import type { ConfigShape } from '../compile/config-fields.ts';
import type { ConfigProblem, ConfigRemark } from '../compile/config-problems.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { mustBeOneOf } from '../words/word-texts.ts';
import { bayesian } from './bayesian.ts';
import { epsilonGreedy } from './epsilon-greedy.ts';
import { externalEndpoint } from './external-endpoint.ts';
import { gradientBoosted } from './gradient-boosted.ts';
import { logisticRegression } from './logistic-regression.ts';
import type { Learn, ModelKind, StateRules } from './model-kind.ts';
import { onlineLearner } from './online-learner.ts';
import { scorecard } from './scorecard.ts';
import { thompsonBandit } from './thompson-bandit.ts';
import { modelTrainer } from './training/trainers.ts';

/** Types of models that can score: one file and one line each. */
const kinds: readonly ModelKind[] = [
  scorecard,
  bayesian,
  logisticRegression,
  gradientBoosted,
  thompsonBandit,
  epsilonGreedy,
  onlineLearner,
  externalEndpoint,
];

export const modelKinds: ReadonlyMap<string, ModelKind> = new Map(kinds.map((kind) => [kind.type, kind]));

/** Types of models that may be stored. */
const modelTypes: readonly string[] = kinds.map(({ type }) => type);

/** The configs of all model types, for the documentation of the API. */
export const modelShapes: Readonly<Record<string, ConfigShape>> = Object.fromEntries(
  kinds.map(({ type, fields, required }) => [type, { fields, required }]),
);

/** Types of docs/design/api-decisioning.md 15 that come later. */
const unbuiltTypes: readonly string[] = ['neural_cf', 'onnx_imported'];

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

/** Returns the rules of the state that models of this type have; null when they have none. */
export const modelState = (type: string): StateRules | null => modelKinds.get(type)?.state ?? null;

/** Returns how single outcomes teach models of this type; null when they don't. */
export const modelLearn = (type: string): Learn | null => modelKinds.get(type)?.learn ?? null;

/** Types of models that single outcomes teach. */
export const learningTypes: readonly string[] = kinds.filter(({ learn }) => learn !== null).map(({ type }) => type);

/** Returns true when models of this type learn unless told otherwise: those that nothing but outcomes teaches. */
export const learnsFromStart = (type: string): boolean => modelLearn(type) !== null && modelTrainer(type) === null;

/** Returns true when models of this type score offers alone, so a question without an offer has no answer. */
export const isBandit = (type: string): boolean => modelKinds.get(type)?.isBandit === true;
