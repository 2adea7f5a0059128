import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { BodyKind, Operation, RawBody } from '@arbiter/contract';
import type { TSchema } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import { createCoerce, parseForm } from './coercion.ts';
import { parseJsonBody } from './json-body.ts';
import { largeBodyBytes, parseLargeJson } from './large-json.ts';

/** How one operation's body is taken. */
export interface BodyForm {
  /** True when a body of this declared type is taken (docs/design/api-access.md 1 "Content types"). */
  accepts(contentType: string | undefined): boolean;
  /** What is said of a body of another type. */
  readonly wanted: string;
  /** Reads the bytes; throws, or rejects, `malformed_json`, `malformed_request` or `validation_failed`. */
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

/** `maxItems`: how many items the lists among the members of a JSON body may have. */
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

/** The declared type of a body, lower case, without parameters. */
export function mediaTypeOf({ headers }: IncomingMessage): string | null {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || type === '' ? null : type;
}

/** A text that says that it is not in UTF-8 is of another type. */
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
    // What the schema does not know is kept, so that it can be named; the handler does not get it.
    return { ...Object.fromEntries(values), ...coerce(values) };
  };
}
