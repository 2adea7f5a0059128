import { readValue, writeValue } from '../../../forms/editing/inputs/typed-value.ts';

/** Simulation edits in an address: `days_since_visit:21`. */

export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Parses `name:value`. JSON values are parsed, others are strings: `21` is a number, `"21"` a string. Returns null without a
 * name or colon.
 */
export function readNamedValue(text: string): NamedValue | null {
  const at = text.indexOf(':');
  if (at < 1) return null;
  return { name: text.slice(0, at), value: readValue(text.slice(at + 1)) };
}

export const writeNamedValue = ({ name, value }: NamedValue): string => `${name}:${writeValue(value)}`;

/** Returns values by name; the last one wins. */
export function valuesOf(texts: readonly string[] | undefined): Record<string, unknown> {
  const named = (texts ?? []).map(readNamedValue).filter((entry) => entry !== null);
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/** Returns the texts with a value set, or removed (`undefined`). Others keep their position. */
export function withValue(texts: readonly string[] | undefined, name: string, value: unknown): string[] {
  const others = (texts ?? []).filter((text) => readNamedValue(text)?.name !== name);
  return value === undefined ? others : [...others, writeNamedValue({ name, value })];
}
