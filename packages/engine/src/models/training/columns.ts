import { type PredictorValue, valueFor } from '../predictor-values.ts';
import type { TrainingRows } from './training-rows.ts';

/** A feature's values, row by row. */
export interface Column {
  readonly name: string;
  /** True: all present values are numbers. */
  readonly isNumeric: boolean;
  readonly values: readonly PredictorValue[];
}

/** Returns the rows' features column by column. A feature with any text is categorical; numbers in it become texts. */
export function columnsOf({ features, categorical, rows }: TrainingRows): Column[] {
  return features.map((name, at) => {
    const isNumeric = !categorical.has(name) && rows.every(({ values }) => !isText(values[at]));
    const type = isNumeric ? 'numeric' : 'categorical';
    return { name, isNumeric, values: rows.map(({ values }) => valueFor(type, values[at])) };
  });
}

const isText = (value: unknown): boolean => typeof value === 'string' || typeof value === 'boolean';
