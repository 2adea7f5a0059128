import { finiteNumber } from '../arithmetic/order.ts';
import { sigmoid } from '../arithmetic/sigmoid.ts';
import { numberField } from '../compile/config-fields.ts';
import { type ConfigProblem, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { readNumber } from '../config-values.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type AdditiveState, additiveProgram } from './additive.ts';
import { maxOutcomes } from './arms.ts';
import { own } from './bins.ts';
import { categoryKey } from './logistic-regression.ts';
import type { Lesson, ModelKind } from './model-kind.ts';
import { featureIn, type Predictor, readPredictors } from './predictor-values.ts';
import { maxState, stateChecks } from './state-checks.ts';

const defaultEta = 0.05;
const defaultL2 = 0.0001;
/** Standardized values are clipped here, so that one outlier doesn't undo what was learned. */
const maxDeviations = 5;
/** Weights of one model. Categories that come later don't count. */
const maxWeights = 10_000;

const fields = {
  eta: numberField(0.000001, 1, 'Step size: how much one outcome changes the weights.', { default: defaultEta }),
  l2: numberField(0, 1, 'How strongly each outcome pulls weights towards 0.', { default: defaultL2 }),
};

/**
 * Logistic regression that learns from each outcome (docs/design/api-decisioning.md 15): numbers standardized by what it
 * has seen so far, one weight per category.
 */
export const onlineLearner: ModelKind = {
  type: 'online_learner',
  isBandit: false,
  fields,
  required: [],
  check(config) {
    const reader = readConfig(config);
    reader.number('eta', fields.eta);
    reader.number('l2', fields.l2);
    return reader.problems;
  },
  remarks: (config) => unknownKeys(config, Object.keys(fields)),
  state: { empty: () => ({ weights: {}, bias: 0, n: 0, stats: {} }), check: checkState },
  learn: (state, lessons, { config, predictors }) =>
    learnOnline(state, lessons, readPredictors(predictors), {
      eta: readNumber(config.eta, defaultEta),
      l2: readNumber(config.l2, defaultL2),
    }),
  compile: ({ predictors }) => additiveProgram(predictors, openOnline),
};

interface Stats {
  readonly n: number;
  readonly mean: number;
  readonly m2: number;
}

const noStats: Stats = { n: 0, mean: 0, m2: 0 };

function statsOf(stats: Json | undefined): Stats {
  if (!isObject(stats)) return noStats;
  return { n: readNumber(stats.n, 0), mean: readNumber(stats.mean, 0), m2: readNumber(stats.m2, 0) };
}

/** 0 while nothing varied yet. */
function standardized(value: number, { n, mean, m2 }: Stats): number {
  if (n === 0 || m2 === 0) return 0;
  return Math.min(maxDeviations, Math.max(-maxDeviations, (value - mean) / Math.sqrt(m2 / n)));
}

function openOnline(state: JsonObject, predictors: readonly Predictor[]): AdditiveState {
  const weightOf = (key: string): number | null => finiteNumber(own(state.weights, key));
  return {
    base: finiteNumber(state.bias) ?? Number.NaN,
    confidence: null,
    parts: predictors.map(({ name }) => {
      const stats = statsOf(own(state.stats, name));
      const weight = weightOf(name) ?? 0;
      return (value) => {
        if (typeof value === 'number') return weight * standardized(value, stats);
        return value === null ? null : weightOf(categoryKey(name, value));
      };
    }),
  };
}

interface Steps {
  readonly eta: number;
  readonly l2: number;
}

function learnOnline(
  state: JsonObject,
  lessons: readonly Lesson[],
  predictors: readonly Predictor[],
  { eta, l2 }: Steps,
): JsonObject {
  const weights = new Map<string, number>();
  for (const [key, value] of Object.entries(isObject(state.weights) ? state.weights : {})) {
    weights.set(key, readNumber(value, 0));
  }
  const stats = new Map<string, Stats>();
  for (const [name, value] of Object.entries(isObject(state.stats) ? state.stats : {})) stats.set(name, statsOf(value));
  let bias = finiteNumber(state.bias) ?? 0;
  let n = finiteNumber(state.n) ?? 0;
  for (const { reward, weight, features } of lessons) {
    const inputs = inputsOf(predictors, features, weights, stats);
    let logit = bias;
    for (const { key, x } of inputs) logit += (weights.get(key) ?? 0) * x;
    const step = eta * weight;
    const decay = Math.max(0, 1 - step * l2);
    const error = reward - sigmoid(logit);
    for (const [key, value] of weights) weights.set(key, value * decay);
    for (const { key, x } of inputs) weights.set(key, (weights.get(key) ?? 0) + step * error * x);
    bias += step * error;
    n += 1;
    for (const { name, value } of inputs) if (value !== null) stats.set(name, withValue(stats.get(name), value));
  }
  return {
    ...state,
    weights: Object.fromEntries(weights),
    bias,
    n,
    stats: Object.fromEntries([...stats].map(([name, each]) => [name, { ...each }])),
  };
}

interface Input {
  readonly name: string;
  /** Of the weight. */
  readonly key: string;
  readonly x: number;
  /** Null: a category. */
  readonly value: number | null;
}

function inputsOf(
  predictors: readonly Predictor[],
  features: JsonObject,
  weights: ReadonlyMap<string, number>,
  stats: ReadonlyMap<string, Stats>,
): Input[] {
  return predictors.flatMap((predictor): Input[] => {
    const { name } = predictor;
    const value = featureIn(predictor, features);
    if (value === null || (typeof value === 'number' && Math.abs(value) > maxState)) return [];
    const key = typeof value === 'number' ? name : categoryKey(name, value);
    if (!weights.has(key) && weights.size >= maxWeights) return [];
    if (typeof value === 'string') return [{ name, key, x: 1, value: null }];
    return [{ name, key, x: standardized(value, stats.get(name) ?? noStats), value }];
  });
}

/** Welford's update. */
function withValue({ n, mean, m2 }: Stats = noStats, value: number): Stats {
  const delta = value - mean;
  const next = mean + delta / (n + 1);
  return { n: n + 1, mean: next, m2: m2 + delta * (value - next) };
}

function checkState(state: Json): readonly ConfigProblem[] {
  const checks = stateChecks();
  if (!isObject(state)) return [{ path: '', message: 'must be an object' }];
  checks.keys(state, ['weights', 'bias', 'n', 'stats']);
  checks.number(state.bias, '/bias', -maxState, maxState);
  checks.number(state.n, '/n', 0, maxOutcomes);
  for (const [, value, path] of checks.entries(state.weights, '/weights')) {
    checks.number(value, path, -maxState, maxState);
  }
  for (const [, value, path] of checks.entries(state.stats, '/stats')) {
    if (!isObject(value)) {
      checks.refuse(path, 'must be an object with n, mean and m2');
      continue;
    }
    checks.keys(value, ['n', 'mean', 'm2'], path);
    checks.number(value.n, `${path}/n`, 0, maxOutcomes);
    checks.number(value.mean, `${path}/mean`, -maxState, maxState);
    checks.number(value.m2, `${path}/m2`, 0, Number.MAX_VALUE);
  }
  return checks.problems;
}
