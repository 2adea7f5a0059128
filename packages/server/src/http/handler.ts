import type { Operation, OperationInput, OperationReply, Role } from '@arbiter/contract';
import type { Actor, Tx } from '../db/tx.ts';

/** What the binder knows of a request once the credential, tenant, role and limits have passed. */
export interface RequestFacts {
  readonly requestId: string;
  readonly tenantId: string;
  readonly actor: Actor;
  readonly role: Role;
  /** Stable id of the credential; scope of idempotency keys. */
  readonly credentialId: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Value of `Idempotency-Key`, when the operation takes one and it was sent. */
  readonly idempotencyKey: string | null;
  /** Monotonic ms (`performance.now()`) by which the answer must be there; for every wait on the way (docs/design/quality.md R3). */
  readonly until: number;
  /** The answer is to be a stream of events: the operation has one, and this caller asks for it where others get JSON. */
  readonly wantsEvents: boolean;
  /** A browser is to be shown a page: the operation has a `failurePage`, and this caller takes HTML. */
  readonly wantsPage: boolean;
  /**
   * Counts the call against the limits of the operation that say `countsFound`; throws 429. The handler calls it once it knows
   * that what the path names is there.
   */
  readonly countCall: () => Promise<void>;
  /** Aborted when the client has left or the server stops; only for operations that stream or say `stopsWithCaller`, else it never is. */
  readonly signal: AbortSignal;
}

export type HandlerRequest<O extends Operation> = OperationInput<O> & RequestFacts;

/** Handler of an operation with `transaction: 'tenant'`: the binder opened `tx` and commits it before it answers. */
export type TenantHandler<O extends Operation> = (tx: Tx, request: HandlerRequest<O>) => Promise<OperationReply<O>>;

/** Handler of an operation with `transaction: 'own'` or `'none'`. */
export type FreeHandler<O extends Operation> = (request: HandlerRequest<O>) => Promise<OperationReply<O>>;

export type Handler<O extends Operation> = O['transaction'] extends 'tenant' ? TenantHandler<O> : FreeHandler<O>;

/** A handler for each operation of a contract module; a missing one does not compile. */
export type Handlers<Operations extends Record<string, Operation>> = {
  readonly [K in keyof Operations]: Handler<Operations[K]>;
};

/** Answers 2xx with a body (null = none). */
export function reply<const S extends number, B>(status: S, body: B, headers?: Readonly<Record<string, string>>) {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/**
 * Header of an answer that says which version of the catalogue has the change. Operations with `transaction: 'own'` that
 * change the catalogue add it by themselves (`TransactionOptions.onCatalogueVersion` tells the version).
 */
export const configVersionHeader = (version: number): Readonly<Record<string, string>> => ({
  'x-config-version': String(version),
});

/** Header of an answer that an earlier call with the same key had. */
export const replayHeader: Readonly<Record<string, string>> = Object.freeze({ 'idempotent-replay': 'true' });

/** A handler whose operation is not known to the type system any more; only the binder calls it. */
export type AnyHandler = (...args: never[]) => Promise<unknown>;

/** The `[operation id, handler]` pairs of a module, for the map that `main` hands to `createApp`. */
export function handlerEntries<const M extends Record<string, Operation>>(
  operations: M,
  handlers: Handlers<M>,
): [string, AnyHandler][] {
  return Object.entries(operations).map(([name, operation]) => [operation.id, handlers[name as keyof M] as AnyHandler]);
}

/** What is sent as it is, byte for byte: JSON, or bytes of the operation's own media type. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/** A reply body in the bytes of the operation's media type: made once, and sent to everybody from there. */
export function rawBytes<Body>(bytes: Uint8Array): Body {
  return new RawJson(bytes) as Body;
}

/**
 * A reply body that is JSON already, `reply(200, rawJson<RecommendAnswer>(text))`: stored answers, and answers whose
 * parts are ready before the request comes. The very bytes are sent; nothing looks into them (tests hold them against
 * the schema). This is the fastest way to answer: the text is measured once and handed to the socket beside the head,
 * in one system call. Text that is put together from pieces is joined by the measuring; nothing but ASCII in it makes
 * both steps cheaper still. Headers of the reply's own cost more than the rest of it: leave them out where you can.
 */
export function rawJson<Body>(json: string | Uint8Array): Body {
  return new RawJson(json) as Body;
}
