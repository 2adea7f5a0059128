import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { type Feature, featureOf } from './predictors.ts';

/** A predictor of a model that learns from values. */
export interface Predictor {
  readonly name: string;
  /** Null: numbers are numeric, texts categorical. */
  readonly type: 'numeric' | 'categorical' | null;
  readonly feature: Feature;
}

/** A value as a model counts it; null: missing. */
export type PredictorValue = number | string | null;

/** Longer texts aren't categories. */
const maxCharacters = 255;

/** Returns the predictors of a model, in order. */
export function readPredictors(predictors: readonly Json[]): Predictor[] {
  return predictors.flatMap((entry): Predictor[] => {
    const name = isObject(entry) ? entry.name : entry;
    if (typeof name !== 'string') return [];
    const type = isObject(entry) && (entry.type === 'numeric' || entry.type === 'categorical') ? entry.type : null;
    return [{ name, type, feature: featureOf(name, predictors) }];
  });
}

/**
 * Returns a value as the predictor's type has it. A flag is 1 or 0 for a numeric predictor, and a text otherwise. Lists,
 * objects and what doesn't fit the type are missing.
 */
export function valueFor(type: Predictor['type'], value: Json | undefined): PredictorValue {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null;
    return type === 'categorical' ? String(value + 0) : value + 0;
  }
  if (typeof value === 'boolean') return type === 'numeric' ? Number(value) : String(value);
  if (typeof value === 'string' && type !== 'numeric') return value.length > maxCharacters ? null : value;
  return null;
}

/** Returns what a model's predictors read, by their names, as lessons and training rows hold it. */
export function featuresIn(predictors: readonly Predictor[], scope: FormulaScope): JsonObject {
  return Object.fromEntries(
    predictors.map(({ name, type, feature }) => [name, valueFor(type, feature.read(scope))] as const),
  );
}

/** Returns a predictor's value in a lesson or row. */
export const featureIn = ({ name, type }: Predictor, features: JsonObject): PredictorValue =>
  Object.hasOwn(features, name) ? valueFor(type, features[name]) : null;
