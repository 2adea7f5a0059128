import { type OperationId, type Operations, operations } from '@arbiter/contract';
import { ApiError, isProblem } from './api-error.ts';
import type { CallArguments, CallBody } from './inputs.ts';
import { type Handling, type LooseInput, requestOf } from './request.ts';

export interface ClientOptions {
  /** Address of the server, with or without a slash at its end: `http://localhost:3000`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Sent as X-Tenant-Id: the server refuses calls whose key belongs to another tenant. */
  readonly tenantId?: string;
  /** Default strict: a typo is refused instead of being passed over. */
  readonly handling?: Handling;
  /** Longest time of a call in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** A success answer with its status and headers. */
export interface CallAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type Method<Id extends OperationId> = (...input: CallArguments<Operations[Id]>) => Promise<CallBody<Operations[Id]>>;

/** `client.offers.create(...)` for the operation `offers.create`. */
export type OperationMethods = {
  readonly [R in OperationId as R extends `${infer Resource}.${string}`
    ? Resource
    : never]: R extends `${infer Resource}.${string}`
    ? {
        readonly [Id in Extract<OperationId, `${Resource}.${string}`> as Id extends `${Resource}.${infer Verb}`
          ? Verb
          : never]: Method<Id>;
      }
    : never;
};

export interface ClientCalls {
  /** Calls an operation by its id and answers with the body. Throws ApiError for every answer that is no success. */
  call<Id extends OperationId>(id: Id, ...input: CallArguments<Operations[Id]>): Promise<CallBody<Operations[Id]>>;
  /** The same, with status and headers (`Idempotent-Replay`, `RateLimit-Remaining`, ...). */
  send<Id extends OperationId>(
    id: Id,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallAnswer<CallBody<Operations[Id]>>>;
}

export type Client = ClientCalls & OperationMethods;

const defaultTimeoutMs = 30_000;

/**
 * A client for every operation of the contract, made from the operations at run time. Bodies are typed by the contract
 * and not checked again here. Network failures and time-outs throw what `fetch` throws.
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const send = async (id: OperationId, input: LooseInput = {}): Promise<CallAnswer<unknown>> => {
    const operation = operations[id];
    if (operation === undefined) throw new TypeError(`there is no operation ${id}`);
    const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    const signal = input.signal === undefined ? timeout : AbortSignal.any([input.signal, timeout]);
    const { url, init } = requestOf(operation, { ...input, signal }, baseUrl, options, options.handling ?? 'strict');
    const response = await (options.fetch ?? globalThis.fetch)(url, init);
    const body = await bodyOf(response);
    if (!response.ok) throw new ApiError(id, response.status, isProblem(body) ? body : null);
    return { status: response.status, headers: response.headers, body };
  };
  const call = async (id: OperationId, input?: LooseInput): Promise<unknown> => (await send(id, input)).body;

  const client: Record<string, unknown> = { call, send };
  for (const id of Object.keys(operations) as OperationId[]) {
    const [resource = '', verb = ''] = id.split('.');
    const methods = (client[resource] ?? {}) as Record<string, unknown>;
    methods[verb] = (input?: LooseInput) => call(id, input);
    client[resource] = methods;
  }
  // What was just built from the operations is what the type says, operation for operation.
  return client as unknown as Client;
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
