import { needsRequestedWith, type Operation } from '@arbiter/contract/operation';
import type { CallOptions } from './inputs.ts';

/** An operation's input with its types gone. */
export interface LooseInput extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface Credential {
  readonly apiKey?: string;
  readonly tenantId?: string;
}

/**
 * What the server does with properties and config keys that it does not know, and with configs that cannot act: `strict`
 * refuses them (400 `validation_failed`), `lenient` takes them and names them in the header X-Unknown-Properties.
 */
export type Handling = 'strict' | 'lenient';

/** What must be known of an operation to call it. */
export type Callable = Pick<Operation, 'id' | 'method' | 'path' | 'auth' | 'csrfExempt' | 'bodyKind'>;

/** The HTTP request of a call. `baseUrl` has no slash at its end. */
export function requestOf(
  operation: Callable,
  input: LooseInput,
  baseUrl: string,
  credential: Credential,
  handling: Handling,
): { readonly url: string; readonly init: RequestInit } {
  const headers = new Headers({ accept: input.onProgress === undefined ? 'application/json' : 'text/event-stream' });
  if (handling === 'strict') headers.set('prefer', 'handling=strict');
  if (operation.auth !== 'none' && credential.apiKey !== undefined) {
    headers.set('authorization', `Bearer ${credential.apiKey}`);
    if (credential.tenantId !== undefined) headers.set('x-tenant-id', credential.tenantId);
  }
  if (needsRequestedWith(operation)) headers.set('x-requested-with', 'arbiter-sdk');
  if (input.idempotencyKey !== undefined) headers.set('idempotency-key', input.idempotencyKey);
  if (input.requestId !== undefined) headers.set('x-request-id', input.requestId);
  for (const [name, value] of Object.entries(input.headers ?? {})) {
    if (value !== undefined) headers.set(name, headerText(String(value)));
  }
  const hasBody = input.body !== undefined;
  const isForm = operation.bodyKind === 'multipart';
  // The type of a form holds the mark between its parts, which is made with its bytes.
  const file = input.body instanceof Blob ? input.body : null;
  if (file !== null) headers.set('content-type', file.type);
  else if (hasBody && !isForm) headers.set('content-type', 'application/json');
  return {
    url: baseUrl + pathOf(operation, input.params ?? {}) + queryOf(input.query ?? {}),
    init: {
      method: operation.method,
      headers,
      redirect: 'error',
      ...(hasBody ? { body: file ?? (isForm ? formOf(input.body) : JSON.stringify(input.body)) } : {}),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    },
  };
}

function pathOf(operation: Callable, params: Readonly<Record<string, unknown>>): string {
  return operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${operation.id} needs params.${name}`);
    const text = String(value);
    // URLs have no way to write these two: also percent-encoded they are steps, and the request would go elsewhere.
    if (text === '.' || text === '..') throw new TypeError(`params.${name} cannot be "${text}" in a URL`);
    return encodeURIComponent(text);
  });
}

/** The parts as a form; files are read while they are sent. */
function formOf(parts: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts ?? {})) {
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined) form.append(name, String(value));
  }
  return form;
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** `Headers` takes bytes only: text beyond ASCII travels as its UTF-8 bytes, one character each (docs/design/quality.md E20). */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
