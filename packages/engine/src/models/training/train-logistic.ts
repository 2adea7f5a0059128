import { sigmoid } from '../../arithmetic/sigmoid.ts';
import { readConfig } from '../../compile/config-problems.ts';
import { readNumber } from '../../config-values.ts';
import type { JsonObject } from '../../plan/snapshot.ts';
import { stream } from '../../random/stream.ts';
import { maxCategories } from '../bins.ts';
import { categoryKey, defaultLogistic, logisticFields } from '../logistic-regression.ts';
import { type Column, columnsOf } from './columns.ts';
import type { Trainer } from './trainer.ts';
import type { TrainingRows } from './training-rows.ts';

/** Rows between two reports of progress. */
const rowsPerReport = 5_000;

/**
 * Stochastic gradient descent: each epoch visits all rows in an order drawn from the seed, with a step that shrinks from
 * epoch to epoch.
 */
export const logisticTrainer: Trainer = {
  minRows: 100,
  fields: logisticFields,
  check(params) {
    const reader = readConfig(params);
    reader.number('learningRate', logisticFields.learningRate);
    reader.number('l2', logisticFields.l2);
    reader.integer('epochs', logisticFields.epochs);
    return reader.problems;
  },
  train(set, params, seed, onProgress) {
    const inputs = inputsOf(columnsOf(set));
    const weights = new Float64Array(inputs.names.length);
    const bias = descend(set, inputs, weights, params, seed, onProgress);
    return {
      bias,
      weights: Object.fromEntries(inputs.names.map((name, at) => [name, weights[at]!])),
      means: Object.fromEntries(inputs.numbers.map(({ name, mean }) => [name, mean])),
      stds: Object.fromEntries(inputs.numbers.map(({ name, std }) => [name, std])),
      categories: Object.fromEntries(inputs.texts.map(({ name, values }) => [name, values])),
    };
  },
};

interface Inputs {
  /** Of the weights. */
  readonly names: readonly string[];
  readonly numbers: readonly { readonly name: string; readonly mean: number; readonly std: number }[];
  readonly texts: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Per column and row: which weight applies, -1 for none, and by how much. */
  readonly places: readonly Int32Array[];
  readonly amounts: readonly Float64Array[];
}

function inputsOf(columns: readonly Column[]): Inputs {
  const names: string[] = [];
  const numbers: { name: string; mean: number; std: number }[] = [];
  const texts: { name: string; values: readonly string[] }[] = [];
  const places: Int32Array[] = [];
  const amounts: Float64Array[] = [];
  for (const { name, isNumeric, values } of columns) {
    const place = new Int32Array(values.length).fill(-1);
    const amount = new Float64Array(values.length);
    if (isNumeric) {
      const { mean, std } = spreadOf(values.filter((value) => typeof value === 'number'));
      numbers.push({ name, mean, std });
      values.forEach((value, row) => {
        if (typeof value !== 'number' || std === 0) return;
        place[row] = names.length;
        amount[row] = (value - mean) / std;
      });
      names.push(name);
    } else {
      const categories = commonest(values.filter((value) => typeof value === 'string'));
      const at = new Map(categories.map((value, index) => [value, names.length + index]));
      values.forEach((value, row) => {
        place[row] = typeof value === 'string' ? (at.get(value) ?? -1) : -1;
        amount[row] = 1;
      });
      texts.push({ name, values: categories });
      names.push(...categories.map((value) => categoryKey(name, value)));
    }
    places.push(place);
    amounts.push(amount);
  }
  return { names, numbers, texts, places, amounts };
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly std: number } {
  if (values.length === 0) return { mean: 0, std: 0 };
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  return { mean, std: Math.sqrt(squares / values.length) };
}

/** The most frequent categories, sorted by name. */
function commonest(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const byCount = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return byCount
    .slice(0, maxCategories)
    .map(([value]) => value)
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Fills the weights and returns the bias. */
function descend(
  { rows }: TrainingRows,
  { places, amounts }: Inputs,
  weights: Float64Array,
  params: JsonObject,
  seed: string,
  onProgress: (share: number) => void,
): number {
  const epochs = readNumber(params.epochs, defaultLogistic.epochs);
  const rate = readNumber(params.learningRate, defaultLogistic.learningRate);
  const l2 = readNumber(params.l2, defaultLogistic.l2);
  const order = Int32Array.from(rows, (_, row) => row);
  let bias = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, stream(seed, `epoch:${epoch}`));
    const step = rate / (1 + epoch);
    for (let at = 0; at < order.length; at++) {
      const row = order[at]!;
      const { label, weight } = rows[row]!;
      let logit = bias;
      for (let column = 0; column < places.length; column++) {
        const place = places[column]![row]!;
        if (place >= 0) logit += weights[place]! * amounts[column]![row]!;
      }
      const gradient = step * weight * (label - sigmoid(logit));
      const decay = Math.max(0, 1 - step * weight * l2);
      for (let place = 0; place < weights.length; place++) weights[place]! *= decay;
      for (let column = 0; column < places.length; column++) {
        const place = places[column]![row]!;
        if (place >= 0) weights[place]! += gradient * amounts[column]![row]!;
      }
      bias += gradient;
      if (at % rowsPerReport === 0) onProgress((epoch + at / order.length) / epochs);
    }
  }
  onProgress(1);
  return bias;
}

/** Fisher and Yates. */
function shuffle(order: Int32Array, next: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    const value = order[at]!;
    order[at] = order[other]!;
    order[other] = value;
  }
}
