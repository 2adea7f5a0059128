/**
 * One copy of values that thousands of rows have in common: names of channels and types, ids of categories, lists of
 * personalization. The returned value is shared, so callers must not change it.
 */
export interface SharedValues {
  text<T extends string | null>(value: T): T;
  /** Parses a column's JSON text; equal short texts give the same object. */
  json<T>(text: string): T;
}

/** Texts above this length are hardly ever equal. */
const longestShared = 512;

/** At most `most` values are kept; the rest goes unshared. */
export function createSharedValues(most = 4096): SharedValues {
  const texts = new Map<string, string>();
  const values = new Map<string, unknown>();
  return {
    text(value) {
      if (value === null) return value;
      const known = texts.get(value);
      if (known !== undefined) return known as typeof value;
      if (texts.size < most) texts.set(value, value);
      return value;
    },
    json<T>(text: string): T {
      const known = values.get(text);
      if (known !== undefined) return known as T;
      const parsed: T = JSON.parse(text);
      if (text.length <= longestShared && values.size < most) values.set(text, parsed);
      return parsed;
    },
  };
}
