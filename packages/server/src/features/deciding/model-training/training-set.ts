import {
  type Json,
  type JsonObject,
  type Predictor,
  readPredictors,
  type TrainingRow,
  type TrainingRows,
} from '@arbiter/engine';

/** Rows that one training takes at most; of more, the latest. */
export const maxRows = 200_000;

/**
 * Rows in a form that reaches a thread fast: one list of all cells instead of a list per row. Cells are in the order of
 * the features.
 */
export interface PackedRows {
  readonly features: readonly string[];
  readonly categorical: ReadonlySet<string>;
  readonly cells: readonly Json[];
  readonly labels: Uint8Array;
  readonly weights: Float64Array;
}

/** Rows while they are collected. */
export interface TrainingSet {
  readonly predictors: readonly Predictor[];
  readonly rows: TrainingRow[];
}

export const newTrainingSet = (predictors: readonly Json[]): TrainingSet => ({
  predictors: readPredictors(predictors),
  rows: [],
});

/** Adds what predictors read, with its label. */
export function addRow({ predictors, rows }: TrainingSet, features: JsonObject, label: 0 | 1, weight: number): void {
  rows.push({ values: predictors.map(({ name }) => features[name] ?? null), label, weight });
}

const headOf = (predictors: readonly Predictor[]): Omit<TrainingRows, 'rows'> => ({
  features: predictors.map(({ name }) => name),
  categorical: new Set(predictors.filter(({ type }) => type === 'categorical').map(({ name }) => name)),
});

export function packRows({ predictors, rows }: TrainingSet): PackedRows {
  const latest = rows.slice(-maxRows);
  return {
    ...headOf(predictors),
    cells: latest.flatMap(({ values }) => values),
    labels: Uint8Array.from(latest, ({ label }) => label),
    weights: Float64Array.from(latest, ({ weight }) => weight),
  };
}

/** Returns the rows for training. */
export const trainable = ({ predictors, rows }: TrainingSet): TrainingRows => ({ ...headOf(predictors), rows });

export function unpackRows({ features, categorical, cells, labels, weights }: PackedRows): TrainingRows {
  const rows = Array.from(
    labels,
    (label, row): TrainingRow => ({
      values: cells.slice(row * features.length, (row + 1) * features.length),
      label: label === 1 ? 1 : 0,
      weight: weights[row]!,
    }),
  );
  return { features, categorical, rows };
}
