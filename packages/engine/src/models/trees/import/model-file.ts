import { isObject } from '../../../json-object.ts';
import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { shortenWord } from '../../../words/word-texts.ts';
import { maxFeatures, maxNameCharacters, maxTrees } from '../forest-limits.ts';

/** Why a model file can't be imported. `path` points into it. */
export interface ImportProblem {
  readonly path: string;
  readonly message: string;
}

interface Refusal extends Error {
  readonly problem: ImportProblem;
}

/** Ends an import. `importForest` turns it into a problem. */
export function refuse(path: string, message: string): never {
  throw Object.assign(new Error(message), { problem: { path, message } });
}

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && Object.hasOwn(error, 'problem');

export function memberOf(value: JsonObject, key: string, path: string): JsonObject {
  const member = value[key];
  if (!isObject(member)) return refuse(`${path}/${key}`, 'must be an object');
  return member;
}

export function listOf(value: JsonObject, key: string, path: string): readonly Json[] {
  const list = value[key];
  if (!Array.isArray(list)) return refuse(`${path}/${key}`, 'must be a list');
  return list;
}

/** A list of finite numbers of this length. */
export function numbersOf(value: JsonObject, key: string, length: number, path: string): Float64Array {
  const list = listOf(value, key, path);
  if (list.length !== length) return refuse(`${path}/${key}`, `must have ${length} entries, not ${list.length}`);
  return Float64Array.from(list, (entry: Json, at) => {
    if (typeof entry === 'number' && Number.isFinite(entry)) return entry;
    // XGBoost writes flags as booleans in some versions.
    if (typeof entry === 'boolean') return Number(entry);
    return refuse(`${path}/${key}/${at}`, 'must be a finite number');
  });
}

/** The number in a value that may be a number or its text, also as a list of one (XGBoost 3). */
export function looseNumber(value: Json | undefined, path: string): number {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const number = typeof single === 'string' ? Number(single.trim().replace(/^\[(.*)\]$/s, '$1')) : single;
  if (typeof number !== 'number' || !Number.isFinite(number) || single === '')
    return refuse(path, 'must be a finite number');
  return number;
}

export function checkTreeCount(count: number, path: string): void {
  if (count === 0) refuse(path, 'must have at least one tree');
  if (count > maxTrees) refuse(path, `must have at most ${maxTrees} trees, not ${count}`);
}

/** Names of the features; made up when the file has none. */
export function featureNames(names: readonly Json[], count: number, path: string): string[] {
  if (count > maxFeatures) refuse(path, `must have at most ${maxFeatures} features, not ${count}`);
  if (names.length === 0) return Array.from({ length: count }, (_, at) => `f${at}`);
  if (names.length !== count) refuse(path, `must have ${count} names, not ${names.length}`);
  const seen = new Set<string>();
  return names.map((name, at) => {
    if (typeof name !== 'string' || name === '' || name.length > maxNameCharacters) {
      return refuse(`${path}/${at}`, `must be a string of 1 to ${maxNameCharacters} characters`);
    }
    if (seen.has(name)) refuse(`${path}/${at}`, `${shortenWord(name)} is listed more than once`);
    seen.add(name);
    return name;
  });
}
