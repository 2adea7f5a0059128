import { type ConfigProblem, pointerStep } from '../compile/config-problems.ts';
import { isObject } from '../json-object.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';

/** No learned number comes near it, and sums of such numbers stay finite. */
export const maxState = 1e12;
const maxNames = 10_000;
const maxNameCharacters = 600;

/** Collects what is wrong with a state, by JSON Pointer. */
export interface StateChecks {
  readonly problems: ConfigProblem[];
  refuse(path: string, message: string): void;
  /** Returns the number at the path, or NaN with a problem. */
  number(value: Json | undefined, path: string, least: number, most: number): number;
  /** Returns the entries of an object keyed by names of predictors; none with a problem. */
  entries(value: Json | undefined, path: string): [name: string, value: Json, path: string][];
  /** Returns the list at the path; empty with a problem. */
  list(value: Json | undefined, path: string, most: number): readonly Json[];
  /** Refuses keys that a state doesn't have. */
  keys(value: JsonObject, known: readonly string[], path?: string): void;
}

export function stateChecks(): StateChecks {
  const problems: ConfigProblem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  return {
    problems,
    refuse,
    number(value, path, least, most) {
      if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return value;
      refuse(path, `must be a number from ${least} to ${most}`);
      return Number.NaN;
    },
    entries(value, path) {
      if (!isObject(value)) {
        refuse(path, 'must be an object keyed by predictor');
        return [];
      }
      const all = Object.entries(value);
      if (all.length > maxNames) {
        refuse(path, `must have at most ${maxNames} entries`);
        return [];
      }
      return all.flatMap(([name, entry]) => {
        const at = `${path}/${pointerStep(name)}`;
        if (name !== '' && name.length <= maxNameCharacters) return [[name, entry, at] as [string, Json, string]];
        refuse(path, `must have names of 1 to ${maxNameCharacters} characters`);
        return [];
      });
    },
    list(value, path, most) {
      if (Array.isArray(value) && value.length <= most) return value;
      refuse(path, `must be a list of at most ${most} entries`);
      return [];
    },
    keys(value, known, path = '') {
      for (const key of Object.keys(value)) {
        if (!known.includes(key)) refuse(`${path}/${pointerStep(key)}`, 'is not a property of the state');
      }
    },
  };
}

/** Checks a list of distinct categories. */
export function checkCategories(checks: StateChecks, value: Json, path: string, most: number): readonly Json[] {
  const categories = checks.list(value, path, most);
  const seen = new Set<Json>();
  categories.forEach((category, at) => {
    if (typeof category !== 'string' || category.length > 255) {
      checks.refuse(`${path}/${at}`, 'must be a string of at most 255 characters');
    } else if (seen.has(category)) checks.refuse(`${path}/${at}`, 'is listed more than once');
    seen.add(category);
  });
  return categories;
}
