import { ln } from '../arithmetic/ln.ts';
import { finiteNumber } from '../arithmetic/order.ts';
import { type ConfigProblem, unknownKeys } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type AdditiveState, additiveProgram, type PartOf } from './additive.ts';
import { maxOutcomes } from './arms.ts';
import { countOutcome, newCounts, openCounts, stateOfCounts } from './bayesian-counts.ts';
import { type Bins, binCount, binOf, binsIn, maxCategories, maxEdges, numbers, own } from './bins.ts';
import type { Lesson, ModelKind } from './model-kind.ts';
import { featureIn, type Predictor, readPredictors } from './predictor-values.ts';
import { checkCategories, maxState, type StateChecks, stateChecks } from './state-checks.ts';

/** Outcomes from which a score is as certain as it gets. */
const outcomesForCertainty = 1_000;

const fields = {
  binEdges: {
    type: 'object',
    description:
      'Edges of the bins of numeric predictors, by predictor, in rising order. A value at an edge lies in the lower ' +
      'bin. They start an empty state; training replaces them with ten quantile bins.',
    default: {},
  },
};

/**
 * Naive Bayes over bins and categories (docs/design/api-decisioning.md 15). Learns from training and from each outcome.
 * A numeric predictor counts once it has edges, from `config.binEdges` or from training.
 */
export const bayesian: ModelKind = {
  type: 'bayesian',
  isBandit: false,
  fields,
  required: [],
  check(config) {
    const checks = stateChecks();
    if ((config.binEdges ?? null) !== null) checkEdges(checks, config.binEdges, '/binEdges');
    return checks.problems;
  },
  remarks: (config) => unknownKeys(config, Object.keys(fields)),
  state: { empty: ({ binEdges }) => stateOfCounts(newCounts(binEdges)), check: checkState },
  learn: (state, lessons, { predictors }) => learnBayesian(state, lessons, readPredictors(predictors)),
  compile: ({ predictors }) => additiveProgram(predictors, openBayesian),
};

function openBayesian(state: JsonObject, predictors: readonly Predictor[]): AdditiveState {
  const n = finiteNumber(state.n) ?? Number.NaN;
  const [pos, neg] = classesOf(state);
  return {
    base: ln((pos + 1) / (n + 2)) - ln((neg + 1) / (n + 2)),
    confidence: Math.min(1, Math.sqrt(n / outcomesForCertainty)),
    parts: predictors.map(({ name }) => {
      const bins = binsIn(state, name);
      return bins === null ? null : partOf(state, name, bins, pos, neg);
    }),
  };
}

function partOf(state: JsonObject, name: string, bins: Bins, pos: number, neg: number): PartOf {
  const size = binCount(bins);
  const counted = own(state.counts, name);
  const positives = numbers(own(counted, 'pos')) ?? [];
  const negatives = numbers(own(counted, 'neg')) ?? [];
  const parts = Array.from(
    { length: size },
    (_, bin) => ln(((positives[bin] ?? 0) + 1) / (pos + size)) - ln(((negatives[bin] ?? 0) + 1) / (neg + size)),
  );
  if (bins.kind === 'edges') return (value) => parts[binOf(bins, value)] ?? null;
  const byCategory = new Map(bins.categories.map((category, bin) => [category, parts[bin] ?? null]));
  return (value) => (value === null ? null : (byCategory.get(String(value)) ?? null));
}

const classesOf = ({ classes }: JsonObject): [pos: number, neg: number] => [
  finiteNumber(own(classes, 'pos')) ?? Number.NaN,
  finiteNumber(own(classes, 'neg')) ?? Number.NaN,
];

function learnBayesian(state: JsonObject, lessons: readonly Lesson[], predictors: readonly Predictor[]): JsonObject {
  const counts = openCounts(state);
  const names = predictors.map(({ name }) => name);
  for (const { reward, weight, features } of lessons) {
    countOutcome(counts, names, (at) => featureIn(predictors[at]!, features), reward, weight);
  }
  return stateOfCounts(counts);
}

function checkEdges(checks: StateChecks, value: Json | undefined, path: string): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, entry, at] of checks.entries(value, path)) {
    const edges = checks.list(entry, at, maxEdges);
    let before = Number.NEGATIVE_INFINITY;
    edges.forEach((edge, number) => {
      const found = checks.number(edge, `${at}/${number}`, -maxState, maxState);
      if (found <= before) checks.refuse(`${at}/${number}`, 'must be above the edge before it');
      before = found;
    });
    sizes.set(name, edges.length + 1);
  }
  return sizes;
}

function checkState(state: Json): readonly ConfigProblem[] {
  const checks = stateChecks();
  if (!isObject(state)) return [{ path: '', message: 'must be an object' }];
  checks.keys(state, ['n', 'classes', 'binEdges', 'categories', 'counts']);
  const n = checks.number(state.n, '/n', 0, maxOutcomes);
  const { classes } = state;
  if (!isObject(classes)) checks.refuse('/classes', 'must be an object with pos and neg');
  else {
    checks.keys(classes, ['pos', 'neg'], '/classes');
    const pos = checks.number(classes.pos, '/classes/pos', 0, maxOutcomes);
    const neg = checks.number(classes.neg, '/classes/neg', 0, maxOutcomes);
    if (Math.abs(pos + neg - n) > 1e-6 * Math.max(1, n)) checks.refuse('/n', 'must be the sum of classes');
  }
  const sizes = checkEdges(checks, state.binEdges, '/binEdges');
  for (const [name, entry, path] of state.categories === undefined
    ? []
    : checks.entries(state.categories, '/categories')) {
    if (sizes.has(name)) checks.refuse(path, 'has bin edges too');
    sizes.set(name, checkCategories(checks, entry, path, maxCategories).length);
  }
  for (const [name, entry, path] of checks.entries(state.counts, '/counts')) {
    const size = sizes.get(name);
    if (size === undefined) checks.refuse(path, 'has neither bin edges nor categories');
    else if (!isObject(entry)) checks.refuse(path, 'must be an object with pos and neg');
    else {
      checks.keys(entry, ['pos', 'neg'], path);
      for (const side of ['pos', 'neg'] as const) {
        const list = checks.list(entry[side], `${path}/${side}`, size);
        if (Array.isArray(entry[side]) && list.length < size) {
          checks.refuse(`${path}/${side}`, `must have one count for each of ${size} bins`);
        }
        list.forEach((count, at) => void checks.number(count, `${path}/${side}/${at}`, 0, maxOutcomes));
      }
    }
  }
  return checks.problems;
}
