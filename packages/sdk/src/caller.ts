import type { OperationId, Operations, Warning } from '@arbiter/contract';
import { ApiError, isProblem } from './api-error.ts';
import { readEvents } from './events.ts';
import type { CallArguments, CallBody } from './inputs.ts';
import { type Callable, type Handling, type LooseInput, requestOf } from './request.ts';

/**
 * Calls of operations that the caller brings along: an entry of its own (`@arbiter/sdk/caller`) for programs that must be
 * small, as those in a browser. It loads neither the registry of operations nor their schemas; the types come from there
 * all the same.
 */

export interface CallerOptions {
  /** Address of the server, with or without a slash at its end: `http://localhost:3000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Sent as X-Tenant-Id: the server refuses calls whose key belongs to another tenant. */
  readonly tenantId?: string;
  /** Default strict: a typo is refused instead of being passed over. */
  readonly handling?: Handling;
  /** Longest time of a call in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Gets each warning of a successful answer, with the id of its operation. Default: prints it by `console.warn`. */
  readonly onWarning?: (warning: Warning, operationId: string) => void;
  readonly fetch?: typeof globalThis.fetch;
}

/** A success answer with its status and headers. */
export interface CallAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/**
 * What goes over the wire of an operation, without its schemas. `Wire<'offers.list'>` takes the values of that operation
 * and no others; an operation of the contract is one too.
 */
export interface Wire<Id extends OperationId> {
  readonly id: Id;
  readonly method: Operations[Id]['method'];
  readonly path: Operations[Id]['path'];
  readonly auth: Operations[Id]['auth'];
  readonly csrfExempt?: boolean;
}

export interface Caller {
  /** Calls an operation and answers with the body. Throws ApiError for every status outside 200 to 299. */
  call<Id extends OperationId>(
    operation: Wire<Id>,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallBody<Operations[Id]>>;
  /** The same, with status and headers (`Idempotent-Replay`, `RateLimit-Remaining`, ...). */
  send<Id extends OperationId>(
    operation: Wire<Id>,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallAnswer<CallBody<Operations[Id]>>>;
}

const defaultTimeoutMs = 30_000;

/**
 * A caller for one server and credential. Bodies are typed by the contract and not checked again here. Network failures
 * and time-outs throw what `fetch` throws.
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

/** The untyped call under the caller and the client. */
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

/** The warnings about an accepted call. A flow check also answers `warnings`, but they're its result and have no suggestion. */
function warningsIn(body: unknown): readonly Warning[] {
  const warnings: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'warnings') : null;
  return Array.isArray(warnings) ? warnings.filter(isWarning) : [];
}

const isWarning = (entry: unknown): entry is Warning =>
  typeof entry === 'object' && entry !== null && Object.hasOwn(entry, 'code') && Object.hasOwn(entry, 'suggestion');

const isEvents = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The answer at the end of a stream of progress. */
async function doneOf(operation: Callable, response: Response, { onProgress }: LooseInput): Promise<unknown> {
  for await (const { event, data } of readEvents(response.body ?? new ReadableStream())) {
    if (event === 'done') return data;
    if (event === 'failed' && isProblem(data)) throw new ApiError(operation.id, data.status, data);
    onProgress?.(data);
  }
  throw new TypeError('fetch failed', { cause: new Error('the answer ended before it was complete') });
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
