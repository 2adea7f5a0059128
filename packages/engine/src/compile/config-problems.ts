import type { Json, JsonObject } from '../plan/snapshot.ts';
import { nearestWord } from '../words/nearest-word.ts';
import { mustBeOneOf } from '../words/word-texts.ts';
import type { NumberRange } from './config-fields.ts';

/** A problem in a stored or sent config. `path`: JSON Pointer relative to the config. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** A part of a config without effect: an unknown key, or a config that can't do anything. Never a reason to reject. */
export interface ConfigRemark {
  /** JSON Pointer relative to the config. */
  readonly path: string;
  /** The known key that was probably meant. */
  readonly nearest: string | null;
  /** Why it cannot act; null for an unknown key. */
  readonly reason: string | null;
  /** How to give it an effect. */
  readonly suggestion?: string;
}

/** The keys of an object that are not in `keys`. */
export function unknownKeys(value: Json | undefined, keys: readonly string[], path = ''): ConfigRemark[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => ({ path: `${path}/${pointerStep(key)}`, nearest: nearestWord(key, keys), reason: null }));
}

/** A key as a step of a JSON Pointer. */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Reads keys of a config and collects their problems. An absent or null key counts as not set. */
export interface ConfigReader {
  readonly problems: ConfigProblem[];
  integer(key: string, range: NumberRange): number | undefined;
  number(key: string, range: NumberRange): number | undefined;
  text(key: string): string | undefined;
  texts(key: string): readonly string[] | undefined;
  word<W extends string>(key: string, words: readonly W[]): W | undefined;
  flag(key: string): boolean | undefined;
  refuse(key: string, message: string): undefined;
}

export function readConfig(config: JsonObject): ConfigReader {
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string): undefined => {
    problems.push({ path: `/${key}`, message });
    return undefined;
  };
  const given = (key: string): Json | undefined => {
    const value = Object.hasOwn(config, key) ? config[key] : undefined;
    return value === null ? undefined : value;
  };
  const number = (
    key: string,
    { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE }: NumberRange,
  ): number | undefined => {
    const value = given(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < minimum || value > maximum) {
      const isOpen = maximum === Number.MAX_VALUE;
      return refuse(key, isOpen ? 'must be a number' : `must be a number from ${minimum} to ${maximum}`);
    }
    return value;
  };
  return {
    problems,
    number,
    refuse,
    integer(key, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) {
      const value = given(key);
      if (value === undefined) return undefined;
      if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum) {
        return refuse(key, `must be an integer from ${minimum} to ${maximum}`);
      }
      return value;
    },
    text(key) {
      const value = given(key);
      if (value === undefined) return undefined;
      return typeof value === 'string' ? value : refuse(key, 'must be a string');
    },
    texts(key) {
      const value = given(key);
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) return refuse(key, 'must be a list of strings');
      const texts: string[] = [];
      for (const entry of value) {
        if (typeof entry !== 'string' || entry === '') return refuse(key, 'must be a list of non-empty strings');
        texts.push(entry);
      }
      return texts;
    },
    word(key, words) {
      const value = given(key);
      if (value === undefined) return undefined;
      const found = words.find((word) => word === value);
      return found === undefined ? refuse(key, mustBeOneOf(value, words)) : found;
    },
    flag(key) {
      const value = given(key);
      if (value === undefined) return undefined;
      return typeof value === 'boolean' ? value : refuse(key, 'must be true or false');
    },
  };
}
