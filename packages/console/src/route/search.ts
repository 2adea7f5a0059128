import type { Static, TObject, TSchema } from 'typebox';

/** The query string as names and values; a repeated name has a list. */
export type RawSearch = Readonly<Record<string, string | readonly string[]>>;

/** Parses `a=1&b=x&b=y`. Values stay strings; the schema gives them meaning. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name];
    if (before === undefined) found[name] = value;
    else found[name] = [...(Array.isArray(before) ? before : [before]), value];
  }
  return found;
}

/** Formats a query string with its question mark; empty without values. Skips absent and null values. */
export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') parameters.append(name, String(each));
    }
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/**
 * Converts search parameters to the schema's types. Ignores invalid values, so that a hand-typed address still opens the page.
 */
export function readSearch<S extends TObject>(schema: S, raw: RawSearch): Partial<Static<S>> {
  const found: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = readValue(property, raw[name]);
    if (value !== undefined) found[name] = value;
  }
  return found as Partial<Static<S>>;
}

function readValue(schema: TSchema, value: string | readonly string[] | undefined): unknown {
  if (value === undefined) return undefined;
  const {
    type,
    items,
    anyOf,
    const: only,
    enum: allowed,
    minimum,
    maximum,
    minLength,
    maxLength,
    format,
  } = keywords(schema);
  if (anyOf !== undefined) {
    return anyOf.map((each) => readValue(each, value)).find((each) => each !== undefined);
  }
  if (type === 'array') {
    const each = (typeof value === 'string' ? [value] : value).map((one) => readValue(items ?? {}, one));
    return each.every((one) => one !== undefined) ? each : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if (type === 'integer' || type === 'number') {
    const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    const fits =
      Number.isFinite(number) &&
      (type === 'number' || Number.isInteger(number)) &&
      number >= (minimum ?? Number.NEGATIVE_INFINITY) &&
      number <= (maximum ?? Number.POSITIVE_INFINITY);
    return fits ? number : undefined;
  }
  if (only !== undefined && only !== value) return undefined;
  if (allowed !== undefined && !allowed.includes(value)) return undefined;
  if (value.length < (minLength ?? 0) || value.length > (maxLength ?? Number.POSITIVE_INFINITY)) return undefined;
  if (format === 'uuid' && !uuid.test(value)) return undefined;
  return value;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

interface Keywords {
  readonly type?: string;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

const keywords = (schema: TSchema): Keywords => schema as Keywords;
