import type { TSchema } from 'typebox';
import { itemsOf, propertiesOf, requiredOf } from './schema-parts.ts';

/**
 * Returns the body without optional properties that are null, at any depth the schema describes; the same value when
 * there are none. In a POST, null for an optional input counts as not sent (docs/design/api-access.md 22), except where
 * the schema says `x-refuses-null`.
 */
export function withoutNullInputs(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return value;
    const cleaned = value.map((item) => withoutNullInputs(items, item));
    return cleaned.some((item, index) => item !== value[index]) ? cleaned : value;
  }
  const source = value as Readonly<Record<string, unknown>>;
  const required = new Set(requiredOf(schema));
  let cleaned: Record<string, unknown> | null = null;
  for (const [name, property] of propertiesOf(schema)) {
    if (!Object.hasOwn(source, name)) continue;
    const before = source[name];
    if (before === null && !required.has(name) && !refusesNull(property)) {
      cleaned ??= { ...source };
      delete cleaned[name];
      continue;
    }
    const after = withoutNullInputs(property, before);
    if (after !== before) {
      cleaned ??= { ...source };
      cleaned[name] = after;
    }
  }
  return cleaned ?? value;
}

const refusesNull = (property: TSchema): boolean => Reflect.get(property, 'x-refuses-null') === true;
