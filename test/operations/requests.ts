import { createHash, createHmac } from 'node:crypto';
import { isSecret, isSignature, needsRequestedWith, type Operation } from '@arbiter/contract';
import type { LightMyRequestResponse } from 'fastify';
import type { TestServer } from '../../packages/server/src/main/test-server.ts';
import type { Call } from './examples.ts';

export interface SendOptions {
  /** API key, secret or signing key, sent as the operation expects it; null sends none. */
  readonly key: string | null;
  /** Added to the default headers, which they override; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Raw body, instead of the call's body. */
  readonly raw?: string | Buffer;
  readonly method?: string;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: LightMyRequestResponse['headers'];
  /** The body parsed as JSON; null without a body or for another format. */
  readonly json: unknown;
}

/** Returns path and query of a call. */
export function urlOf(operation: Operation, { params = {}, query = {} }: Call): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Sends a call through the real server, without a socket. */
export async function send(
  server: TestServer,
  operation: Operation,
  call: Call,
  options: SendOptions,
): Promise<Answer> {
  const encoded = call.body === undefined ? null : encodeBody(operation, call.body);
  const payload = options.raw ?? encoded?.payload;
  const isGuarded = needsRequestedWith(operation) || (operation.auth === 'scim' && operation.method !== 'GET');
  const headers = Object.entries({
    'user-agent': 'arbiter-matrix',
    ...(options.key === null ? {} : credentialHeaders(operation, options.key, payload ?? '')),
    ...(isGuarded ? { 'x-requested-with': 'XMLHttpRequest' } : {}),
    ...(payload === undefined ? {} : { 'content-type': encoded?.type ?? bodyTypeOf(operation) }),
    ...call.headers,
    ...options.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined);
  const response = await server.app.inject({
    method: (options.method ?? operation.method) as 'GET',
    url: urlOf(operation, call),
    headers: Object.fromEntries(headers),
    remoteAddress: addressOf(operation),
    ...(payload === undefined ? {} : { payload }),
  });
  const isJson = String(response.headers['content-type'] ?? '').includes('json');
  return {
    status: response.statusCode,
    text: response.body,
    headers: response.headers,
    json: isJson && response.body !== '' ? response.json() : null,
  };
}

/** Each operation is called from its own address, so that only its own calls count toward limits per address. */
export function addressOf({ id }: Operation): string {
  const [, a, b, c] = createHash('sha256').update(id).digest();
  return `10.${a}.${b}.${c}`;
}

/** Returns the headers of an operation's credential. */
function credentialHeaders({ auth }: Operation, key: string, payload: string | Buffer): Record<string, string> {
  if (auth === 'session') return { cookie: `other=1; arbiter_session=${key}` };
  if (isSecret(auth) && auth.headers[0] !== undefined) return { [auth.headers.at(-1)!]: key };
  if (isSignature(auth))
    return { [auth.header]: auth.prefix + createHmac('sha256', key).update(payload).digest('hex') };
  return { authorization: `Bearer ${key}` };
}

const boundary = 'the-boundary-of-the-matrix';

/** Returns the media type of an operation's body. */
export function bodyTypeOf({ bodyKind = 'json', mediaTypes }: Operation): string {
  const types = {
    json: 'application/json',
    jsonOrForm: 'application/json',
    scim: 'application/scim+json',
    form: 'application/x-www-form-urlencoded',
    multipart: `multipart/form-data; boundary=${boundary}`,
    raw: mediaTypes?.[0] ?? 'application/octet-stream',
    stream: mediaTypes?.[0] ?? 'application/octet-stream',
  };
  return types[bodyKind];
}

/** Encodes a body as the operation expects it. In multipart bodies the member `file` is a file. */
function encodeBody(operation: Operation, body: NonNullable<Call['body']>): { payload: string; type: string } {
  const type = bodyTypeOf(operation);
  if (operation.bodyKind === 'form') {
    return { payload: new URLSearchParams(body as Record<string, string>).toString(), type };
  }
  if (operation.bodyKind !== 'multipart') return { payload: JSON.stringify(body), type };
  const parts = Object.entries(body).map(([name, value]) => {
    const file = name === 'file' ? '; filename="a.csv"\r\nContent-Type: text/csv' : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${String(value)}\r\n`;
  });
  return { payload: `${parts.join('')}--${boundary}--\r\n`, type };
}

/** A path inside a value: keys and indexes from the root. */
export type Path = readonly (string | number)[];

/** Returns every string inside a value, with its path. */
export function stringsOf(value: unknown, path: Path = []): { path: Path; value: string }[] {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => stringsOf(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => stringsOf(member, [...path, name]));
}

/** Returns the value at a path; undefined if there is none. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}

/** Returns a copy with another value at a path. Creates missing objects along the way. */
export function withAt<T>(value: T, path: Path, replacement: unknown): T {
  const copy: unknown = structuredClone(value ?? {});
  let inner = copy as object;
  for (const step of path.slice(0, -1)) {
    const next: unknown = Reflect.get(inner, step);
    if (typeof next !== 'object' || next === null) Reflect.set(inner, step, {});
    inner = Reflect.get(inner, step);
  }
  Reflect.set(inner, path.at(-1)!, replacement);
  return copy as T;
}
