import { needsRequestedWith, type Operation } from '@arbiter/contract/operation';
import type { CallOptions } from './inputs.ts';

/** The untyped input of an operation. */
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
 * How the server handles unknown properties and config keys, and configs without effect: `strict` rejects them (400
 * `validation_failed`), `lenient` accepts them and lists them in the header X-Unknown-Properties.
 */
export type Handling = 'strict' | 'lenient';

/** What a call needs to know about an operation. */
export type Callable = Pick<Operation, 'id' | 'method' | 'path' | 'auth' | 'csrfExempt' | 'bodyKind'>;

/** Builds the HTTP request of a call. `baseUrl` has no trailing slash. */
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
  // fetch sets the content type of a form, with its boundary.
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
      throw new TypeError(`${operation.id} requires params.${name}`);
    const text = String(value);
    // URLs can't contain these two as a segment, not even percent-encoded: the request would go to another path.
    if (text === '.' || text === '..') throw new TypeError(`params.${name} can't be "${text}" in a URL`);
    return encodeURIComponent(text);
  });
}

/** Builds the form; files are read while they are sent. */
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

/** `Headers` accepts only bytes, so text beyond ASCII is sent as UTF-8, one character per byte (docs/design/quality.md, E20). */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
