import type { OperationId, Operations, Warning } from '@arbiter/contract';
import { ApiError, isProblem } from './api-error.ts';
import { readEvents } from './events.ts';
import type { CallArguments, CallBody } from './inputs.ts';
import { type Callable, type Handling, type LooseInput, requestOf } from './request.ts';

/**
 * Calls operations that you pass in. A separate entry point (`@arbiter/sdk/caller`) for small bundles, such as in a browser:
 * it loads neither the registry of operations nor their schemas. The types are the same.
 */

export interface CallerOptions {
  /** URL of the server, with or without a trailing slash: `http://localhost:3000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Sent as X-Tenant-Id: the server rejects calls whose key belongs to another tenant. */
  readonly tenantId?: string;
  /** Default `strict`: the server rejects typos instead of ignoring them. */
  readonly handling?: Handling;
  /** Timeout of a call in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Gets each warning of a successful answer, with the id of its operation. Default: prints it by `console.warn`. */
  readonly onWarning?: (warning: Warning, operationId: string) => void;
  readonly fetch?: typeof globalThis.fetch;
}

/** A successful response with its status and headers. */
export interface CallAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/**
 * An operation without its schemas: what a call needs to know. `Wire<'offers.list'>` accepts only the values of that
 * operation. Operations of the contract are assignable too.
 */
export interface Wire<Id extends OperationId> {
  readonly id: Id;
  readonly method: Operations[Id]['method'];
  readonly path: Operations[Id]['path'];
  readonly auth: Operations[Id]['auth'];
  readonly csrfExempt?: boolean;
}

export interface Caller {
  /** Calls an operation and returns the body. Throws ApiError for a status outside 200 to 299. */
  call<Id extends OperationId>(
    operation: Wire<Id>,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallBody<Operations[Id]>>;
  /** Like `call`, with status and headers (`Idempotent-Replay`, `RateLimit-Remaining`, ...). */
  send<Id extends OperationId>(
    operation: Wire<Id>,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallAnswer<CallBody<Operations[Id]>>>;
}

const defaultTimeoutMs = 30_000;

/**
 * Creates a caller for a server and credential. Bodies are typed by the contract and not validated again. Network failures
 * and timeouts throw what `fetch` throws.
 */
export function createCaller(options: CallerOptions): Caller {
  const sendTo = createSend(options);
  const send: Caller['send'] = async <Id extends OperationId>(
    operation: Wire<Id>,
    ...[input]: CallArguments<Operations[Id]>
  ) => {
    const answer = await sendTo(operation, input);
    return { ...answer, body: answer.body as CallBody<Operations[Id]> };
  };
  return { send, call: async (operation, ...input) => (await send(operation, ...input)).body };
}

/** Creates the untyped function that the caller and the client share. */
export function createSend(
  options: CallerOptions,
): (operation: Callable, input?: LooseInput) => Promise<CallAnswer<unknown>> {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const onWarning = options.onWarning ?? printWarning;
  return async (operation, input = {}) => {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    const signal = input.signal === undefined ? timeout : AbortSignal.any([input.signal, timeout]);
    const { url, init } = requestOf(operation, { ...input, signal }, baseUrl, options, options.handling ?? 'strict');
    const response = await (options.fetch ?? globalThis.fetch)(url, init);
    const body = isEvents(response) ? await doneOf(operation, response, input) : await bodyOf(response);
    if (!response.ok) throw new ApiError(operation.id, response.status, isProblem(body) ? body : null);
    for (const warning of warningsIn(body)) onWarning(warning, operation.id);
    return { status: response.status, headers: response.headers, body };
  };
}

function printWarning({ message, suggestion }: Warning, operationId: string): void {
  console.warn(`arbiter: ${operationId}: ${message}${suggestion === null ? '' : ` ${suggestion}`}`);
}

/** The warnings about an accepted call. A flow check also returns `warnings`, but those are its result and have no `suggestion`. */
function warningsIn(body: unknown): readonly Warning[] {
  const warnings: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'warnings') : null;
  return Array.isArray(warnings) ? warnings.filter(isWarning) : [];
}

const isWarning = (entry: unknown): entry is Warning =>
  typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'code') && Object.hasOwn(entry, 'suggestion');

const isEvents = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Reads progress events until the result. Throws ApiError for the event `failed`. */
async function doneOf(operation: Callable, response: Response, { onProgress }: LooseInput): Promise<unknown> {
  for await (const { event, data } of readEvents(response.body ?? new ReadableStream())) {
    if (event === 'done') return data;
    if (event === 'failed' && isProblem(data)) throw new ApiError(operation.id, data.status, data);
    onProgress?.(data);
  }
  throw new TypeError('fetch failed', { cause: new Error('the response ended before it was complete') });
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/([a-z.]+\+)?json/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export { ApiError } from './api-error.ts';
export type { CallBody, CallInput, CallOptions } from './inputs.ts';
