import { namesTenant, type Operation } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import { isIdempotencyKey } from '../../platform/formats.ts';
import { type BodyForm, createBodyForm } from './body-kinds.ts';
import { createCoerce, declaredProperties, parseQuery, repeated } from './coercion.ts';
import { withoutNullInputs } from './null-inputs.ts';
import { bodyLimits } from './request-body.ts';
import { decodeHeader, headerValues } from './request-headers.ts';
import { FileBody } from './stream-body.ts';
import type { Check, InputSource } from './validation.ts';

/** The request's input as a handler gets it. */
export interface Input {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
  readonly idempotencyKey: string | null;
}

type Compile = (schema: TSchema, place: InputSource) => Check;
type Read<T> = (request: FastifyRequest) => T;

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** How to read one operation's input (steps 8 and 9 of the order of checks). */
export interface InputReader {
  /** Maximum bytes of a body; null when the operation takes none. */
  readonly bodyLimit: number | null;
  /**
   * Step 9, syntax: comes before shape for every part. A missing JSON body is read as an object without properties.
   * Parsing a large one yields to other work.
   */
  readonly form: BodyForm;
  /** Step 9, shape. `parsed`: a body of `size` bytes. Throws `malformed_request` or `validation_failed`. */
  read(request: FastifyRequest, parsed: unknown, size: number): Input;
}

export function createInputReader(operation: Operation, compile: Compile): InputReader {
  const readParams = createReadParams(operation, compile);
  const readQuery = createReadQuery(operation, compile);
  const readHeaders = createReadHeaders(operation, compile);
  const shapeBody = createShapeBody(operation, compile);
  const takesKey = operation.idempotent === true;
  return {
    bodyLimit: bodyLimitOf(operation),
    form: createBodyForm(operation, maxItemsOf(operation.body)),
    read(request, parsed, size) {
      return {
        params: readParams === null ? nothing : readParams(request),
        query: readQuery === null ? nothing : readQuery(request),
        headers: readHeaders === null ? nothing : readHeaders(request),
        idempotencyKey: takesKey ? readIdempotencyKey(request) : null,
        body: shapeBody(parsed, size),
      };
    },
  };
}

function bodyLimitOf({ body, bodyLimit, auth }: Operation): number | null {
  if (body === undefined) return null;
  return bodyLimit ?? (namesTenant(auth) ? bodyLimits.withCredential : bodyLimits.withoutCredential);
}

/** Returns the maximum items of the lists among a body's members. */
function maxItemsOf(body: TSchema | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [name, property] of body === undefined ? [] : declaredProperties(body)) {
    const most: unknown = Reflect.get(property, 'maxItems');
    if (typeof most === 'number') found.set(name, most);
  }
  return found;
}

function createShapeBody(
  { body: schema, bodyKind, method, record, judgedAlone }: Operation,
  compile: Compile,
): (parsed: unknown, size: number) => unknown {
  if (schema === undefined) return () => undefined;
  // Bytes and parts have no shape to check before the handler reads them.
  if (bodyKind === 'raw' || bodyKind === 'stream' || bodyKind === 'multipart') return (parsed) => parsed;
  // In a record, null is a value: it means empty where that's allowed and is rejected elsewhere.
  const forgivesNull = method === 'POST' && record === undefined;
  const shape = createShape(schema, compile(withAnyItems(schema, judgedAlone ?? []), 'body'), forgivesNull);
  return (parsed, size) => (parsed instanceof FileBody ? parsed : shape(parsed, size));
}

/** Returns the schema with lists of any items, with the same maximum number. */
function withAnyItems(schema: TSchema, lists: readonly string[]): TSchema {
  if (lists.length === 0) return schema;
  const properties = declaredProperties(schema).map(([name, property]) =>
    lists.includes(name) ? [name, { ...property, items: {} }] : [name, property],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * Returns a reader for one item of a list that the handler judges (`judgedAlone`), like the binder reads the body of a
 * POST. The reader throws AppError `validation_failed` with paths relative to the item.
 */
export function createItemReader<S extends TSchema>(schema: S, compile: Compile): (item: unknown) => Static<S> {
  const shape = createShape(schema, compile(schema, 'body'), true);
  // Report all findings: an item is a small part of a body, and its schema bounds them.
  return (item) => shape(item, 0) as Static<S>;
}

/**
 * Returns a reader for a value that acts as an operation's body, like the binder reads the body itself. The reader
 * throws `validation_failed`.
 */
export function createBodyReader(operation: Operation, compile: Compile): (body: unknown) => unknown {
  const shape = createShapeBody(operation, compile);
  return (body) => shape(body, 0);
}

function createShape(schema: TSchema, check: Check, forgivesNull: boolean): (parsed: unknown, size: number) => unknown {
  const pick = createPick(schema);
  return (parsed, size) => {
    const value = pick(parsed);
    try {
      check(value, size);
      return value;
    } catch (refusal) {
      // Only checked now, so that bodies without such nulls (above all decisions) don't pay for it.
      const sent = forgivesNull ? withoutNullInputs(schema, value) : value;
      if (sent === value) throw refusal;
      check(sent, size);
      return sent;
    }
  };
}

/**
 * Keeps the declared top-level properties (docs/design/api-access.md 1). Keeps everything for open schemas and
 * non-objects.
 */
function createPick(schema: TSchema): (value: unknown) => unknown {
  const names = declaredProperties(schema).map(([name]) => name);
  const open = Reflect.get(schema, 'additionalProperties');
  if (names.length === 0 || (open !== undefined && open !== false)) return (value) => value;
  const declared = new Set(names);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const source = value as Record<string, unknown>;
    if (hasOnly(source, declared)) return source;
    const picked: Record<string, unknown> = {};
    for (const name of names) if (Object.hasOwn(source, name)) picked[name] = source[name];
    return picked;
  };
}

function hasOnly(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

function createReadParams({ params: schema }: Operation, compile: Compile): Read<Record<string, unknown>> | null {
  if (schema === undefined) return null;
  const coerce = createCoerce(schema, 'path');
  const check = compile(schema, 'path');
  return (request) => {
    // The router has decoded each segment exactly once.
    const segments = Object.entries(request.params as Record<string, string>);
    const value = coerce(new Map(segments.map(([name, text]) => [name, [text]])));
    check(value, 0);
    // A malformed id gets the same answer as an unknown one. NUL stands for all that the database would reject.
    if (segments.some(([, text]) => text.includes('\0'))) throw new AppError('not_found');
    return value;
  };
}

function createReadQuery({ query: schema }: Operation, compile: Compile): Read<Record<string, unknown>> | null {
  if (schema === undefined) return null;
  const coerce = createCoerce(schema, 'query');
  const check = compile(schema, 'query');
  return (request) => {
    const value = coerce(parseQuery(request.raw.url ?? ''));
    check(value, 0);
    return value;
  };
}

function createReadHeaders({ headers: schema }: Operation, compile: Compile): Read<Record<string, unknown>> | null {
  if (schema === undefined) return null;
  const names = declaredProperties(schema).map(([name]) => name);
  const coerce = createCoerce(schema, 'header');
  const check = compile(schema, 'header');
  return ({ raw }) => {
    const values = new Map<string, string[]>();
    for (const name of names) {
      const sent = headerValues(raw.rawHeaders, name.toLowerCase()).map((value) => {
        const text = decodeHeader(value);
        if (text === null) throw new AppError('malformed_request', { detail: `The header ${name} must be UTF-8.` });
        return text;
      });
      if (sent.length > 0) values.set(name, sent);
    }
    const value = coerce(values);
    check(value, 0);
    return value;
  };
}

function readIdempotencyKey({ raw }: FastifyRequest): string | null {
  const path = 'header.Idempotency-Key';
  const sent = headerValues(raw.rawHeaders, 'idempotency-key');
  const [key] = sent;
  if (key === undefined) return null;
  if (sent.length > 1) throw repeated(path);
  if (isIdempotencyKey(key)) return key;
  const message = 'must be 1 to 255 visible ASCII characters';
  throw new AppError('validation_failed', { detail: `${path} ${message}`, errors: [{ path, message }] });
}
