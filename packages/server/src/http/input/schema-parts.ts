import type { TSchema } from 'typebox';

/** Reads parts of a JSON schema without knowing its kind. Missing parts are empty. */

export function get(schema: TSchema, key: string): unknown {
  return Reflect.get(schema, key);
}

/** Returns the schemas (or values) of a list: `anyOf`, `enum`, `examples`. */
export function members(schema: TSchema, key: string): TSchema[] {
  const found = get(schema, key);
  return Array.isArray(found) ? found : [];
}

export function propertiesOf(schema: TSchema): [string, TSchema][] {
  const found = get(schema, 'properties');
  return typeof found === 'object' && found !== null ? Object.entries(found) : [];
}

export function requiredOf(schema: TSchema): string[] {
  const found = get(schema, 'required');
  return Array.isArray(found) ? found : [];
}

/** Returns the schema of an array's items. */
export function itemsOf(schema: TSchema): TSchema | undefined {
  return get(schema, 'items') as TSchema | undefined;
}

/** Returns the schema without `null`, if it's a union with it. */
export function withoutNull(schema: TSchema): { readonly schema: TSchema; readonly nullable: boolean } {
  const union = members(schema, 'anyOf');
  const rest = union.filter((each) => get(each, 'type') !== 'null');
  return rest.length === 1 && union.length === 2
    ? { schema: rest[0]!, nullable: true }
    : { schema, nullable: rest.length < union.length };
}
