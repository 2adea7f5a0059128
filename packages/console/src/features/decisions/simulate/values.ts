/** Edits of a simulation as they stand in an address: `days_since_visit:21`. */

export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Reads `name:value`. A value that is JSON is taken as such, any other as a text; so `21` is a number and `"21"` a text. Null
 * without a name or a colon.
 */
export function readNamedValue(text: string): NamedValue | null {
  const at = text.indexOf(':');
  if (at < 1) return null;
  return { name: text.slice(0, at), value: readValue(text.slice(at + 1)) };
}

/** A value as a person types it: JSON, else a text. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Writes what `readValue` reads: a text that could be taken for JSON gets quotes. */
export function writeValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  return typeof readValue(value) === 'string' && readValue(value) === value ? value : JSON.stringify(value);
}

export const writeNamedValue = ({ name, value }: NamedValue): string => `${name}:${writeValue(value)}`;

/** The values by name; the last of a name counts. */
export function valuesOf(texts: readonly string[] | undefined): Record<string, unknown> {
  const named = (texts ?? []).map(readNamedValue).filter((entry) => entry !== null);
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/** The texts with one value set, or taken out (`undefined`). Others keep their places. */
export function withValue(texts: readonly string[] | undefined, name: string, value: unknown): string[] {
  const kept = (texts ?? []).filter((text) => readNamedValue(text)?.name !== name);
  return value === undefined ? kept : [...kept, writeNamedValue({ name, value })];
}
