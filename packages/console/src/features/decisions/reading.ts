/**
 * Reads JSON without a fixed shape (traces, `meta`, results). Missing or mistyped values are null, because older servers
 * stored fewer fields.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const objectsOf = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);
export const textsOf = (value: unknown): readonly string[] =>
  listOf(value).filter((entry): entry is string => typeof entry === 'string');

/** Returns numbers by name; skips other entries. */
export function countsOf(value: unknown): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, entry] of Object.entries(objectOf(value))) if (typeof entry === 'number') found[name] = entry;
  return found;
}
