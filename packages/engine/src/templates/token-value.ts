import { readOwn, readPath } from '../formula/path.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { JsonObject, PersonalizationEntry } from '../plan/snapshot.ts';

/** A value for the current candidate; undefined or null when it is missing. */
export type ReadValue = (scope: FormulaScope, computed: JsonObject) => unknown;

/** Where a template's values come from. */
export interface ValueSources {
  /** Entries of the creative, then of the content item, by variable. */
  readonly entries: readonly ReadonlyMap<string, PersonalizationEntry>[];
  /** Notes a path that may be read. */
  note(path: readonly string[]): void;
}

/** Value of a token by the order of docs/design/api-catalogue.md 3.4: entries, computed and custom fields, path, attribute. */
export function tokenValue(sources: ValueSources, name: string): ReadValue {
  const reads: ReadValue[] = entriesOf(sources, name);
  // An entry with a fallback always has a value: nothing behind it is read.
  if (sources.entries.some((entries) => (entries.get(name)?.fallback ?? null) !== null)) return firstPresent(reads);
  reads.push((_scope, computed) => readOwn(computed, name));
  reads.push((scope) => readOwn(scope.names, name));
  const [first = '', ...below] = name.split('.');
  const [second = ''] = below;
  if (below.length === 0) {
    reads.push(pathValue(sources, ['customer', first], SOURCE_NAMESPACES));
  } else {
    reads.push(pathValue(sources, [first, ...below], TOKEN_NAMESPACES));
    if (first === 'personalization' && below.length === 1) reads.push(...entriesOf(sources, second));
  }
  return firstPresent(reads);
}

/** Value of a personalization entry: at its source, else its fallback. */
export function entryValue(sources: ValueSources, entry: PersonalizationEntry): ReadValue {
  const fallback = entry.fallback ?? null;
  if (typeof entry.source !== 'string' || entry.source === '') return () => fallback;
  const read = pathValue(sources, entry.source.split('.'), SOURCE_NAMESPACES);
  return (scope, computed) => {
    const value = read(scope, computed);
    return isPresent(value) ? value : fallback;
  };
}

/**
 * Returns a token's text: texts, finite numbers in shortest form, booleans. Lists and objects have no text and count as
 * missing.
 */
export function printed(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? `${value + 0}` : null;
  return typeof value === 'boolean' ? `${value}` : null;
}

const SOURCE_NAMESPACES: ReadonlySet<string> = new Set(['customer', 'attributes', 'personalization']);
const TOKEN_NAMESPACES: ReadonlySet<string> = new Set(['customer', 'attributes', 'offer', 'personalization']);

function entriesOf(sources: ValueSources, variable: string): ReadValue[] {
  return sources.entries
    .map((entries) => entries.get(variable))
    .filter((entry) => entry !== undefined)
    .map((entry) => entryValue(sources, entry));
}

function firstPresent(reads: readonly ReadValue[]): ReadValue {
  return (scope, computed) => {
    for (const read of reads) {
      const value = read(scope, computed);
      if (isPresent(value)) return value;
    }
    return null;
  };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && !(typeof value === 'number' && !Number.isFinite(value));
}

function pathValue(sources: ValueSources, path: readonly string[], allowed: ReadonlySet<string>): ReadValue {
  const [namespace = '', ...below] = path;
  if (!allowed.has(namespace) || below.length === 0) return () => null;
  if (namespace === 'customer' || namespace === 'attributes' || namespace === 'offer') {
    sources.note(path);
    return readPath(namespace, below);
  }
  return (_scope, computed) => {
    let value: unknown = computed;
    for (const key of below) value = readOwn(value, key);
    return value;
  };
}
