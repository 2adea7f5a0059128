import type { TSchema } from 'typebox';
import { AppError, invalid } from '../../platform/app-error.ts';

/** The type a text parameter is converted to before its schema is checked. */
type ValueKind = 'integer' | 'number' | 'boolean' | 'string';

interface Parameter {
  readonly name: string;
  readonly kind: ValueKind;
  /** True when the parameter may be repeated. */
  readonly many: boolean;
  readonly fallback: unknown;
}

/** Where texts come from. Form fields are named like members of a JSON body. */
export type CoercedPlace = 'query' | 'path' | 'header' | 'form';

const pointerTo = (place: CoercedPlace, name: string): string => (place === 'form' ? `/${name}` : `${place}.${name}`);

/**
 * Converts text values to typed ones by name. Ignores undeclared names and fills in defaults (docs/design/api-access.md
 * 1).
 */
export type Coerce = (values: ReadonlyMap<string, readonly string[]>) => Record<string, unknown>;

/**
 * Creates strict coercion of query and path parameters (docs/design/quality.md T33): integers are ASCII digits with an
 * optional minus sign, booleans are `true` or `false`, a repeated scalar is 400 `malformed_request`, NUL is 400. Not
 * for bodies.
 */
export function createCoerce(schema: TSchema, place: CoercedPlace): Coerce {
  const parameters = declaredProperties(schema).map(([name, property]) => toParameter(name, property));
  return (values) => {
    const result: Record<string, unknown> = {};
    for (const parameter of parameters) {
      const texts = values.get(parameter.name);
      if (texts === undefined) {
        if (parameter.fallback !== undefined) result[parameter.name] = parameter.fallback;
      } else if (parameter.many) {
        result[parameter.name] = texts.map((text) => coerceText(text, parameter, place));
      } else {
        if (texts.length > 1) throw repeated(pointerTo(place, parameter.name));
        result[parameter.name] = coerceText(texts[0]!, parameter, place);
      }
    }
    return result;
  };
}

/** Returns the own properties of an object schema, or those of all members of a union. */
export function declaredProperties(schema: TSchema): [string, TSchema][] {
  const found = new Map<string, TSchema>();
  const members: unknown = Reflect.get(schema, 'anyOf') ?? Reflect.get(schema, 'allOf');
  if (Array.isArray(members)) {
    for (const member of members) for (const [name, property] of declaredProperties(member)) found.set(name, property);
  }
  const properties: unknown = Reflect.get(schema, 'properties');
  if (typeof properties === 'object' && properties !== null) {
    for (const [name, property] of Object.entries(properties)) found.set(name, property);
  }
  return [...found];
}

function toParameter(name: string, schema: TSchema): Parameter {
  const many = Reflect.get(schema, 'type') === 'array';
  const inner: unknown = many ? Reflect.get(schema, 'items') : schema;
  const kind: unknown = typeof inner === 'object' && inner !== null ? Reflect.get(inner, 'type') : undefined;
  const isKind = kind === 'integer' || kind === 'number' || kind === 'boolean';
  return { name, kind: isKind ? kind : 'string', many, fallback: Reflect.get(schema, 'default') };
}

const integer = /^-?[0-9]+$/;
const decimal = /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/;

function coerceText(text: string, parameter: Parameter, place: CoercedPlace): unknown {
  const path = pointerTo(place, parameter.name);
  switch (parameter.kind) {
    case 'integer':
      if (!integer.test(text) || text === '-0') throw invalid(path, 'must be a whole number in plain digits');
      // Digits beyond 2^53 still mean "more than any limit", so they become the largest exact integer.
      return Math.min(Math.max(Number(text), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
    case 'number':
      if (!decimal.test(text) || text === '-0') throw invalid(path, 'must be a decimal number in plain digits');
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalid(path, 'must be true or false');
      return text === 'true';
    case 'string':
      // In a path, NUL matches nothing, see input.ts.
      if (place !== 'path' && text.includes('\0')) throw invalid(path, 'must not contain a NUL character');
      return text;
  }
}

/** Returns a 400 for a repeated value that must be unique. */
export function repeated(path: string): AppError {
  const message = 'must be sent once';
  return new AppError('malformed_request', { detail: `${path} ${message}`, errors: [{ path, message }] });
}

/**
 * Parses the query of a URL (form encoding: `+` is a space, exactly one percent-decode). Throws 400 for a broken
 * escape.
 */
export function parseQuery(url: string): Map<string, string[]> {
  const start = url.indexOf('?');
  return start === -1 ? new Map() : parseForm(url.slice(start + 1), 'query');
}

/**
 * Returns names and values of form encoding (https://url.spec.whatwg.org/#application/x-www-form-urlencoded) in order.
 */
export function parseForm(text: string, what: 'query' | 'body'): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeForm(equals === -1 ? pair : pair.slice(0, equals), what);
    const value = equals === -1 ? '' : decodeForm(pair.slice(equals + 1), what);
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decodeForm(text: string, what: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new AppError('malformed_request', { detail: `The ${what} contains an invalid percent escape.` });
  }
}
