import { type OperationId, type Operations, operations } from '@arbiter/contract';
import { type CallAnswer, type CallerOptions, createSend } from './caller.ts';
import type { CallArguments, CallBody } from './inputs.ts';
import { type ListItem, type Page, pageOf } from './page.ts';
import type { LooseInput } from './request.ts';

export type ClientOptions = CallerOptions;

type Method<Id extends OperationId> = (...input: CallArguments<Operations[Id]>) => Promise<CallBody<Operations[Id]>>;

/** Methods such as `client.offers.create(...)` for the operation `offers.create`. */
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
  /** Calls an operation by its ID and returns the body. Throws ApiError for a status outside 200 to 299. */
  call<Id extends OperationId>(id: Id, ...input: CallArguments<Operations[Id]>): Promise<CallBody<Operations[Id]>>;
  /** Like `call`, with status and headers (`Idempotent-Replay`, `RateLimit-Remaining`, ...). */
  send<Id extends OperationId>(
    id: Id,
    ...input: CallArguments<Operations[Id]>
  ): Promise<CallAnswer<CallBody<Operations[Id]>>>;
  /**
   * Returns one page of a list in the same shape for every operation: `data`, `total` and the query of the `next` page.
   * Throws like `call`, and TypeError for an operation without a list.
   */
  list<Id extends ListId>(id: Id, ...input: CallArguments<Operations[Id]>): Promise<Page<ListItem<Operations[Id]>>>;
}

/** Operations that return a list. */
export type ListId = { [Id in OperationId]: [ListItem<Operations[Id]>] extends [never] ? never : Id }[OperationId];

export type Client = ClientCalls & OperationMethods;

/**
 * Creates a client with a method for every operation of the contract. Bodies are typed by the contract and not validated
 * again. Network failures and timeouts throw what `fetch` throws.
 */
export function createClient(options: ClientOptions): Client {
  const sendTo = createSend(options);
  const send = async (id: OperationId, input?: LooseInput): Promise<CallAnswer<unknown>> => {
    const operation = operations[id];
    if (operation === undefined) throw new TypeError(`unknown operation: ${id}`);
    return sendTo(operation, input);
  };
  const call = async (id: OperationId, input?: LooseInput): Promise<unknown> => (await send(id, input)).body;

  const list = async (id: OperationId, input?: LooseInput) => pageOf(id, await call(id, input));

  const client: Record<string, unknown> = { call, send, list };
  for (const id of Object.keys(operations) as OperationId[]) {
    const [resource = '', verb = ''] = id.split('.');
    const methods = (client[resource] ?? {}) as Record<string, unknown>;
    methods[verb] = (input?: LooseInput) => call(id, input);
    client[resource] = methods;
  }
  // Built from the same operations as the type.
  return client as unknown as Client;
}
