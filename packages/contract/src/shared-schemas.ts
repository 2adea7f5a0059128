/** JSON as it will be written. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** One schema of the document, with its name in case it's shared. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Objects smaller than this stay where they are. */
const smallestProperties = 3;

/**
 * Replaces object schemas that occur more than once by references to `#/components/schemas/<name>`, so that the
 * document is readable and generators make one type of one thing. A shared schema is named after its first use; equal
 * schemas are one. Returns the schemas in the order given, and the components.
 */
export function shareSchemas(roots: readonly NamedSchema[]): { schemas: JsonObject[]; components: JsonObject } {
  const uses = new Map<string, { count: number; readonly name: string }>();
  for (const { name, schema } of roots) countUses(schema, name, uses);
  const names = new Map<string, string>();
  const usedNames = new Set<string>();
  for (const [text, { count, name }] of uses) {
    if (count < 2) continue;
    let unique = name;
    for (let number = 2; usedNames.has(unique); number += 1) unique = `${name}${number}`;
    usedNames.add(unique);
    names.set(text, unique);
  }
  const components: JsonObject = {};
  const schemas = roots.map(({ schema }) => replaced(schema, names, components));
  const sorted = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1));
  return { schemas, components: Object.fromEntries(sorted) };
}

/** Parts of every list, which are not the resource's own. */
const envelope: Readonly<Record<string, string>> = { pagination: 'Pagination' };

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isShareable(schema: JsonObject): boolean {
  return isObject(schema.properties) && Object.keys(schema.properties).length >= smallestProperties;
}

/** The schemas directly inside one, each with its name. */
function inner(schema: JsonObject, name: string): [JsonObject, string][] {
  const found: [JsonObject, string][] = [];
  if (isObject(schema.properties)) {
    for (const [key, property] of Object.entries(schema.properties)) {
      if (isObject(property)) found.push([property, envelope[key] ?? (key === 'data' ? name : name + pascal(key))]);
    }
  }
  for (const key of ['items', 'additionalProperties']) {
    const part = schema[key];
    if (isObject(part)) found.push([part, singular(name)]);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const parts = schema[key];
    if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) found.push([part, name]);
  }
  return found;
}

function countUses(
  schema: JsonObject,
  name: string,
  uses: Map<string, { count: number; readonly name: string }>,
): void {
  if (isShareable(schema)) {
    const text = JSON.stringify(schema);
    const known = uses.get(text);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    uses.set(text, { count: 1, name: typeof schema.title === 'string' ? schema.title : name });
  }
  for (const [part, partName] of inner(schema, name)) countUses(part, partName, uses);
}

function replaced(schema: JsonObject, names: ReadonlyMap<string, string>, components: JsonObject): JsonObject {
  const name = isShareable(schema) ? names.get(JSON.stringify(schema)) : undefined;
  if (name === undefined) return withInner(schema, names, components);
  if (components[name] === undefined) {
    // The place is taken first, so that a schema inside itself would end.
    components[name] = {};
    components[name] = withInner(schema, names, components);
  }
  return { $ref: `#/components/schemas/${name}` };
}

function withInner(schema: JsonObject, names: ReadonlyMap<string, string>, components: JsonObject): JsonObject {
  const inside = (value: Json): Json => (isObject(value) ? replaced(value, names, components) : value);
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value)) {
      result[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, inside(property)]));
    } else if (['anyOf', 'oneOf', 'allOf'].includes(key) && Array.isArray(value)) result[key] = value.map(inside);
    else if (key === 'items' || key === 'additionalProperties') result[key] = inside(value);
    else result[key] = value;
  }
  return result;
}

/** `decisionFlows` -> `DecisionFlows`. */
export function pascal(text: string): string {
  return text.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** `Offers` -> `Offer`, `Categories` -> `Category`; names that are not a plural stay. */
export function singular(text: string): string {
  if (/ies$/.test(text)) return text.replace(/ies$/, 'y');
  return /(ss|us|is)$/.test(text) ? text : text.replace(/s$/, '');
}
