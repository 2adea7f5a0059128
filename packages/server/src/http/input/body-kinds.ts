import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { BodyKind, Operation, RawBody } from '@arbiter/contract';
import type { TSchema } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import { createCoerce, parseForm } from './coercion.ts';
import { parseJsonBody } from './json-body.ts';
import { largeBodyBytes, parseLargeJson } from './large-json.ts';

/** How to read one operation's body. */
export interface BodyForm {
  /**
   * Returns true when the operation takes bodies of this declared type (docs/design/api-access.md 1 "Content types").
   */
  accepts(contentType: string | undefined): boolean;
  /** Error text for a body of another type. */
  readonly wanted: string;
  /** Parses the bytes. Throws, or rejects with, `malformed_json`, `malformed_request` or `validation_failed`. */
  parse(bytes: Buffer, request: IncomingMessage): unknown;
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const types: Readonly<Record<Exclude<BodyKind, 'raw' | 'stream'>, readonly string[]>> = {
  json: [json],
  form: [form],
  jsonOrForm: [json, form],
  multipart: ['multipart/form-data'],
  scim: ['application/scim+json', json],
};

/** `maxItems`: maximum items of each list among a JSON body's members. */
export function createBodyForm(operation: Operation, maxItems: ReadonlyMap<string, number>): BodyForm {
  const kind = operation.bodyKind ?? 'json';
  const allowed = kind === 'raw' || kind === 'stream' ? (operation.mediaTypes ?? []) : types[kind];
  const wanted = `The body must be sent as ${[...allowed, ...(operation.fileTypes ?? [])].join(' or ')}${kind === 'raw' || kind === 'multipart' ? '' : ' in UTF-8'}.`;
  const readJson = (bytes: Buffer): unknown => {
    if (bytes.length === 0) return {};
    return bytes.length < largeBodyBytes ? parseJsonBody(bytes) : parseLargeJson(bytes, { maxItems });
  };
  const readForm = createReadForm(operation.body);
  const parsers: Readonly<Record<BodyKind, BodyForm['parse']>> = {
    json: readJson,
    scim: readJson,
    form: readForm,
    jsonOrForm: (bytes, request) => (mediaTypeOf(request) === form ? readForm(bytes) : readJson(bytes)),
    raw: (bytes, request): RawBody => ({ bytes, mediaType: mediaTypeOf(request) }),
    multipart: () => undefined,
    stream: () => undefined,
  };
  return {
    wanted,
    accepts: (contentType) => contentType === allowed[0] || isOneOf(contentType, allowed),
    parse: parsers[kind],
  };
}

/** Returns the declared type of a body in lower case, without parameters. */
export function mediaTypeOf({ headers }: IncomingMessage): string | null {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || type === '' ? null : type;
}

/** A text that declares another charset than UTF-8 counts as another type. */
function isOneOf(header: string | undefined, allowed: readonly string[]): boolean {
  if (header === undefined) return false;
  const [type, ...parameters] = header.split(';');
  if (!allowed.includes(type!.trim().toLowerCase())) return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name!.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test((value ?? '').trim());
  });
}

function createReadForm(schema: TSchema | undefined): (bytes: Buffer) => Record<string, unknown> {
  const coerce = schema === undefined ? () => ({}) : createCoerce(schema, 'form');
  return (bytes) => {
    if (!isUtf8(bytes)) throw new AppError('malformed_request', { detail: 'The body must be UTF-8.' });
    const values = parseForm(bytes.toString('utf8'), 'body');
    // Keeps properties that the schema doesn't know, so the error can name them. The handler never sees them.
    return { ...Object.fromEntries(values), ...coerce(values) };
  };
}
