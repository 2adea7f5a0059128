import { type ConfigProblem, pointerStep } from '../compile/config-problems.ts';
import { readPath } from '../compile/paths.ts';
import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';

/** How a model reads one feature (docs/design/api-decisioning.md 15, predictors). */
export interface Feature {
  /** Every path that it may read, in the order tried. */
  readonly paths: readonly (readonly string[])[];
  /** What it reads where no path has a value. */
  readonly usual: Json;
  read(scope: FormulaScope): Json;
  /** The same from the offer alone; null when it doesn't read the offer, or the offer has no value. */
  readOffer(scope: FormulaScope): Json;
}

/** Where a bare name is looked up, in this order. */
const bareRoots = ['attributes', 'customer', 'offer'];
const roots: ReadonlySet<string> = new Set([...bareRoots, 'request']);
const maxParts = 6;
const maxCharacters = 255;
/** As many as a boosted model may have features. */
const maxPredictors = 2_000;

/** Returns the problem with a feature's name; null when it's fine. */
export function featureProblem(name: Json | undefined): string | null {
  if (typeof name !== 'string' || name === '' || name.length > maxCharacters) {
    return `must be a string of 1 to ${maxCharacters} characters`;
  }
  const parts = name.split('.');
  if (parts.some((part) => part === '') || parts.length > maxParts)
    return `must be a name or a path of at most ${maxParts} parts`;
  if (parts.length > 1 && !roots.has(parts[0]!))
    return 'must be a name, or a path that starts with attributes, customer, offer or request';
  return null;
}

/** Returns the problems of `predictors`: names, or `{ name, source, type, default }`, no name twice. */
export function predictorProblems(predictors: Json): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  if (!Array.isArray(predictors)) return [{ path: '', message: 'must be a list' }];
  if (predictors.length > maxPredictors) refuse('', `must have at most ${maxPredictors} predictors`);
  const names = new Set<Json>();
  predictors.slice(0, maxPredictors).forEach((predictor: Json, at) => {
    const whole = isObject(predictor);
    const name = whole ? predictor.name : predictor;
    const path = whole ? `/${at}/name` : `/${at}`;
    const problem =
      whole && typeof name === 'string' && name !== '' && name.length <= maxCharacters ? null : featureProblem(name);
    if (problem !== null) refuse(path, problem);
    else if (names.has(name ?? null)) refuse(path, 'is listed more than once');
    names.add(name ?? null);
    if (!whole) return;
    for (const key of Object.keys(predictor)) {
      if (!['name', 'source', 'type', 'default'].includes(key))
        refuse(`/${at}/${pointerStep(key)}`, 'is not a property of a predictor');
    }
    const source = predictor.source ?? null;
    const wrong = source === null ? featureProblem(name) : featureProblem(source);
    if (wrong !== null && problem === null) refuse(source === null ? `/${at}/name` : `/${at}/source`, wrong);
    const type = predictor.type ?? null;
    if (type !== null && type !== 'numeric' && type !== 'categorical')
      refuse(`/${at}/type`, 'must be numeric or categorical');
    const usual = predictor.default ?? null;
    const fits =
      usual === null ||
      (type === 'numeric'
        ? typeof usual === 'number'
        : type === 'categorical'
          ? typeof usual === 'string'
          : typeof usual !== 'object');
    if (!fits) refuse(`/${at}/default`, "must be a value of the predictor's type");
  });
  return problems;
}

/** Returns a feature by its name: the predictor with that name, otherwise the path that the name is. */
export function featureOf(name: string, predictors: readonly Json[]): Feature {
  return readFeature(
    name,
    predictors.find((entry): entry is JsonObject => isObject(entry) && entry.name === name) ?? null,
  );
}

function readFeature(name: string, predictor: JsonObject | null): Feature {
  const source = typeof predictor?.source === 'string' ? predictor.source : name;
  const usual = predictor?.default ?? null;
  const parts = source.split('.');
  const paths = parts.length > 1 ? [parts] : bareRoots.map((root) => [root, source]);
  return {
    paths,
    usual,
    read(scope) {
      for (const path of paths) {
        const value = readPath(scope, path);
        if (value !== null) return value;
      }
      return usual;
    },
    readOffer(scope) {
      const path = paths.find(([root]) => root === 'offer');
      return path === undefined ? null : readPath(scope, path);
    },
  };
}

/** Returns the features that predictors name, by name. */
export function predictorFeatures(predictors: readonly Json[]): ReadonlyMap<string, Feature> {
  const features = new Map<string, Feature>();
  for (const entry of predictors) {
    const name = isObject(entry) ? entry.name : entry;
    if (typeof name === 'string') features.set(name, readFeature(name, isObject(entry) ? entry : null));
  }
  return features;
}

/** Paths of all predictors. */
export function predictorPaths(predictors: readonly Json[]): (readonly string[])[] {
  return [...predictorFeatures(predictors).values()].flatMap(({ paths }) => paths);
}
