/**
 * Reads JSON whose shape the contract leaves open (traces, `meta`, results). What is not there, or is of another kind, is
 * null: rows that were stored by an older server lack newer fields.
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

/** Numbers by name; entries that are none are left out. */
export function countsOf(value: unknown): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, entry] of Object.entries(objectOf(value))) if (typeof entry === 'number') found[name] = entry;
  return found;
}
