import type { ErrorEntry, ModelImport } from '@arbiter/contract';
import { importForest, type Json, type JsonObject, predictorProblems } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';

interface ImportedModel {
  readonly state: JsonObject;
  readonly predictors: readonly Json[];
}

/** Returns the state and predictors of a model file, or why it can't be imported, with paths of the request. */
export function readImport(
  { model, format, featureDefaults = {} }: ModelImport,
  sentAs: 'file' | 'model',
): ImportedModel | readonly ErrorEntry[] {
  if (typeof model !== 'string' && !isObject(model)) {
    return [{ path: `/${sentAs}`, message: 'must be the JSON of a model or the text of a file' }];
  }
  const read = importForest(typeof model === 'string' ? model : (model as JsonObject), format ?? null);
  if (!read.ok) return read.problems.map(({ path, message }) => ({ path: `/${sentAs}${path}`, message }));
  const names = (read.state.feature_names as readonly Json[]).map(String);
  const unknown = Object.keys(featureDefaults).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    return unknown.map((name) => ({
      path: `/featureDefaults/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: 'must be a feature of the model',
    }));
  }
  return { state: read.state, predictors: predictorsOf(read.state, featureDefaults) };
}

/** The predictors of boosted trees that say which features they have. */
export const predictorsOf = (state: JsonObject, defaults: Defaults = {}): readonly Json[] =>
  (state.feature_names as readonly Json[]).map((name) => predictorOf(String(name), defaults));

type Defaults = NonNullable<ModelImport['featureDefaults']>;

/** The predictor of a feature: its name, unless it has a default or can't be looked up by its name. */
function predictorOf(name: string, defaults: Defaults): Json {
  const source = predictorProblems([name]).length === 0 ? {} : { source: `attributes.${name.replaceAll('.', '_')}` };
  const usual = Object.hasOwn(defaults, name) ? { default: defaults[name]! } : {};
  const parts = { ...source, ...usual };
  return Object.keys(parts).length === 0 ? name : { name, ...parts };
}
