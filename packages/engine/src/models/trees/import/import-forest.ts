import { isObject } from '../../../json-object.ts';
import type { Json, JsonObject } from '../../../plan/snapshot.ts';
import { forestProblems } from '../forest-state.ts';
import { readLightgbmJson } from './lightgbm-json.ts';
import { readLightgbmText } from './lightgbm-text.ts';
import { type ImportProblem, isRefusal, refuse } from './model-file.ts';
import { readXgboost } from './xgboost-json.ts';

export type ImportFormat = 'lightgbm_text' | 'lightgbm_json' | 'xgboost_json';

export type ForestImport =
  | { readonly ok: true; readonly format: ImportFormat; readonly state: JsonObject }
  | { readonly ok: false; readonly problems: readonly ImportProblem[] };

/**
 * Reads a model of boosted trees: its file as text, or its JSON. Without a format, finds out which it is. Never throws and
 * never hangs, whatever the file holds; paths of problems point into the file.
 */
export function importForest(source: string | JsonObject, format: ImportFormat | null): ForestImport {
  try {
    const found = format ?? formatOf(source);
    const state = stateOf(source, found);
    const problems = forestProblems(state);
    return problems.length === 0 ? { ok: true, format: found, state } : { ok: false, problems };
  } catch (error) {
    if (isRefusal(error)) return { ok: false, problems: [error.problem] };
    throw error;
  }
}

function stateOf(source: string | JsonObject, format: ImportFormat): JsonObject {
  if (format === 'lightgbm_text') {
    return readLightgbmText(
      typeof source === 'string' ? source : refuse('', 'must be text in the format lightgbm_text'),
    );
  }
  const file = typeof source === 'string' ? parse(source) : source;
  return format === 'xgboost_json' ? readXgboost(file) : readLightgbmJson(file);
}

const unknownFormat =
  'must be a model that XGBoost saved as JSON, or LightGBM as text or JSON; name the format if it is one of them';

function formatOf(source: string | JsonObject): ImportFormat {
  if (typeof source === 'string' && /^\s*tree\s/.test(source)) return 'lightgbm_text';
  const file =
    typeof source === 'string' ? (/^\s*\{/.test(source) ? parse(source) : refuse('', unknownFormat)) : source;
  if (isObject(file.learner)) return 'xgboost_json';
  if (Array.isArray(file.tree_info)) return 'lightgbm_json';
  return refuse('', unknownFormat);
}

/** Quotes, escapes, and what Python writes for numbers that JSON can't hold. Has no repetition, which a long text could exhaust. */
const jsonParts = /\\.|"|-?\b(?:NaN|Infinity)\b/gs;

/** Limit of objects and lists in a file. A node is at most one of them, and each takes up to 100 bytes of memory. */
const maxObjects = 2_000_000;

function parse(text: string): JsonObject {
  if (hasMoreObjects(text, maxObjects)) refuse('', `must have at most ${maxObjects} objects and lists`);
  const file = tryParse(text) ?? tryParse(withJsonNumbers(text));
  if (file === undefined) return refuse('', 'must be JSON');
  return isObject(file) ? file : refuse('', 'must be a JSON object');
}

/** Counts opening brackets before any memory is spent on parsing, including those in strings. */
function hasMoreObjects(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count > most;
}

/** Replaces numbers that JSON can't hold, but not in strings. Beyond the range of doubles, a number of JSON becomes infinite. */
function withJsonNumbers(text: string): string {
  let inString = false;
  return text.replace(jsonParts, (part) => {
    if (part === '"') inString = !inString;
    return inString || part === '"' || part.startsWith('\\') ? part : jsonNumber(part);
  });
}

function jsonNumber(token: string): string {
  return token === 'NaN' || token === '-NaN' ? 'null' : token.replace('Infinity', '1e999');
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
