import type { Json, SnapshotModel } from '@arbiter/engine';
import { isRow, type Row } from './world.ts';

// docs/design/api-decisioning.md 15 and 20, models that score by sums over their predictors.

/** What a model knows; what it starts with, for lack of a state. */
const stateOf = (given: Json | undefined, { config }: SnapshotModel): Row =>
  isRow(given)
    ? given
    : { n: 0, classes: { pos: 0, neg: 0 }, binEdges: config.binEdges ?? {}, counts: {}, weights: {}, bias: 0 };

const rowOf = (value: Json | undefined): Row => (isRow(value) ? value : {});
const part = (value: Json | undefined, name: string): Json | undefined =>
  Object.hasOwn(rowOf(value), name) ? rowOf(value)[name] : undefined;

/** A value as a model counts it. */
function counted(value: Json, predictors: readonly Json[], name: string): number | string | null {
  const own = predictors.find((each) => isRow(each) && each.name === name);
  const type = isRow(own) ? own.type : undefined;
  if (typeof value === 'boolean') return type === 'numeric' ? Number(value) : String(value);
  if (typeof value === 'number') return type === 'categorical' ? String(value) : value;
  return typeof value === 'string' && type !== 'numeric' ? value : null;
}

/** Returns the score of a bayesian, logistic or online model. `read` returns the value of a predictor. */
export function learnedScore(model: SnapshotModel, given: Json | undefined, read: (name: string) => Json): number {
  const state = stateOf(given, model);
  const add = { bayesian, logistic_regression: logistic, online_learner: online }[model.modelType];
  if (add === undefined) throw new Error(`no model of type ${model.modelType}`);
  let logit = Number(state.bias ?? 0);
  if (model.modelType === 'bayesian') {
    const [pos, neg] = classes(state);
    logit = Math.log((pos + 1) / (Number(state.n) + 2)) - Math.log((neg + 1) / (Number(state.n) + 2));
  }
  for (const entry of model.predictors) {
    const name = String(isRow(entry) ? entry.name : entry);
    const value = counted(read(name), model.predictors, name);
    if (value !== null) logit += add(state, name, value);
  }
  return 1 / (1 + Math.exp(-logit));
}

const classes = ({ classes: both }: Row): [number, number] => [Number(part(both, 'pos')), Number(part(both, 'neg'))];

function bayesian(state: Row, name: string, value: number | string): number {
  const edges = part(state.binEdges, name) as readonly number[] | undefined;
  const names = part(state.categories, name) as readonly string[] | undefined;
  if (edges === undefined && names === undefined) return 0;
  if (edges !== undefined && typeof value === 'string') return 0;
  const bin = edges === undefined ? names!.indexOf(String(value)) : edges.filter((edge) => Number(value) > edge).length;
  if (bin < 0) return 0;
  const size = edges === undefined ? names!.length : edges.length + 1;
  const [pos, neg] = classes(state);
  const of = (side: string): number =>
    Number((part(part(state.counts, name), side) as readonly number[] | undefined)?.[bin] ?? 0);
  return Math.log((of('pos') + 1) / (pos + size)) - Math.log((of('neg') + 1) / (neg + size));
}

function logistic(state: Row, name: string, value: number | string): number {
  const mean = part(state.means, name);
  if (mean === undefined) {
    const known = (part(state.categories, name) ?? []) as readonly Json[];
    return known.includes(String(value)) ? Number(part(state.weights, `${name}=${value}`) ?? 0) : 0;
  }
  const std = Number(part(state.stds, name));
  if (typeof value !== 'number' || std === 0) return 0;
  return Number(part(state.weights, name) ?? 0) * ((value - Number(mean)) / std);
}

function online(state: Row, name: string, value: number | string): number {
  if (typeof value === 'string') return Number(part(state.weights, `${name}=${value}`) ?? 0);
  const { n = 0, mean = 0, m2 = 0 } = rowOf(part(state.stats, name));
  const std = Number(n) === 0 ? 0 : Math.sqrt(Number(m2) / Number(n));
  if (std === 0) return 0;
  return Number(part(state.weights, name) ?? 0) * Math.max(-5, Math.min(5, (value - Number(mean)) / std));
}
