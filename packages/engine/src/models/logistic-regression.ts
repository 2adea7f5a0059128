import { finiteNumber } from '../arithmetic/order.ts';
import { integerField, numberField } from '../compile/config-fields.ts';
import { type ConfigProblem, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type AdditiveState, additiveProgram, type PartOf } from './additive.ts';
import { maxCategories, own } from './bins.ts';
import type { ModelKind } from './model-kind.ts';
import type { Predictor } from './predictor-values.ts';
import { checkCategories, maxState, stateChecks } from './state-checks.ts';

export const defaultLogistic = { learningRate: 0.05, l2: 0.001, epochs: 20 };

export const logisticFields = {
  learningRate: numberField(0.0001, 1, 'Step size of training.', { default: defaultLogistic.learningRate }),
  l2: numberField(0, 1, 'How strongly training pulls weights towards 0.', { default: defaultLogistic.l2 }),
  epochs: integerField(1, 200, 'Number of passes over all rows in training.', { default: defaultLogistic.epochs }),
};

/**
 * Log-odds as a sum of standardized numbers and one-hot categories, times weights (docs/design/api-decisioning.md 15).
 * Learns from training alone. A missing number counts as the mean, an unknown category as none.
 */
export const logisticRegression: ModelKind = {
  type: 'logistic_regression',
  isBandit: false,
  fields: logisticFields,
  required: [],
  check(config) {
    const reader = readConfig(config);
    reader.number('learningRate', logisticFields.learningRate);
    reader.number('l2', logisticFields.l2);
    reader.integer('epochs', logisticFields.epochs);
    return reader.problems;
  },
  remarks: (config) => unknownKeys(config, Object.keys(logisticFields)),
  state: {
    empty: () => ({ bias: 0, weights: {}, means: {}, stds: {}, categories: {} }),
    check: checkState,
  },
  learn: null,
  compile: ({ predictors }) => additiveProgram(predictors, openLogistic),
};

/** Name of the weight of a category. */
export const categoryKey = (name: string, value: string): string => `${name}=${value}`;

function openLogistic(state: JsonObject, predictors: readonly Predictor[]): AdditiveState {
  return {
    base: finiteNumber(state.bias) ?? Number.NaN,
    confidence: null,
    parts: predictors.map(({ name }) => partOf(state, name)),
  };
}

function partOf(state: JsonObject, name: string): PartOf | null {
  const weightOf = (key: string): number => finiteNumber(own(state.weights, key)) ?? 0;
  const mean = finiteNumber(own(state.means, name));
  if (mean !== null) {
    const std = finiteNumber(own(state.stds, name)) ?? 0;
    const weight = weightOf(name);
    return (value) => (typeof value !== 'number' ? null : std === 0 ? 0 : weight * ((value - mean) / std));
  }
  const categories = own(state.categories, name);
  if (!Array.isArray(categories)) return null;
  const weights = new Map(categories.map((value) => [String(value), weightOf(categoryKey(name, String(value)))]));
  return (value) => (value === null ? null : (weights.get(String(value)) ?? null));
}

function checkState(state: Json): readonly ConfigProblem[] {
  const checks = stateChecks();
  if (!isObject(state)) return [{ path: '', message: 'must be an object' }];
  checks.keys(state, ['bias', 'weights', 'means', 'stds', 'categories']);
  checks.number(state.bias, '/bias', -maxState, maxState);
  const known = new Set<string>();
  const means = new Set<string>();
  for (const [name, value, path] of checks.entries(state.means, '/means')) {
    checks.number(value, path, -maxState, maxState);
    means.add(name);
    known.add(name);
  }
  const stds = new Set<string>();
  for (const [name, value, path] of checks.entries(state.stds, '/stds')) {
    checks.number(value, path, 0, maxState);
    if (!means.has(name)) checks.refuse(path, 'has no mean');
    stds.add(name);
  }
  for (const name of means) if (!stds.has(name)) checks.refuse('/stds', `must have the predictor ${name}`);
  for (const [name, value, path] of checks.entries(state.categories, '/categories')) {
    if (means.has(name)) checks.refuse(path, 'already has a mean');
    for (const category of checkCategories(checks, value, path, maxCategories)) {
      known.add(categoryKey(name, String(category)));
    }
  }
  for (const [name, value, path] of checks.entries(state.weights, '/weights')) {
    checks.number(value, path, -maxState, maxState);
    if (!known.has(name)) checks.refuse(path, 'is neither a predictor with a mean nor a category');
  }
  return checks.problems;
}
