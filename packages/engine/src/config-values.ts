import { isObject } from './json-object.ts';
import type { Json, JsonObject } from './plan/snapshot.ts';

export function readWord<W extends string>(value: Json | undefined, words: readonly W[]): W | undefined {
  return words.find((word) => word === value);
}

/** IDs of records in their one spelling, lower case: a flow may name them in any (docs/design/api-access.md 1). */
export function readIds(value: Json | undefined): readonly string[] {
  return (readList(value) ?? []).map((id) => id.toLowerCase());
}

export function readList(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((entry): entry is string => typeof entry === 'string');
}

export function readNumber(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

export function readObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function readObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry: Json): entry is JsonObject => isObject(entry)) : [];
}
