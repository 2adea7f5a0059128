import type { Operation, OperationInput, OperationReply, Role } from '@arbiter/contract';
import type { Actor, Tx } from '../db/tx.ts';

/** What the binder knows of a request once credential, tenant, role and limits have passed. */
export interface RequestFacts {
  readonly requestId: string;
  readonly tenantId: string;
  readonly actor: Actor;
  readonly role: Role;
  /** Stable id of the credential, which scopes idempotency keys. */
  readonly credentialId: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Value of `Idempotency-Key`, if the operation takes one and the request sent it. */
  readonly idempotencyKey: string | null;
  /**
   * Monotonic ms (`performance.now()`) by which the answer is due. Applies to every wait on the way
   * (docs/design/quality.md R3).
   */
  readonly until: number;
  /** Answer with a stream of events: the operation has one, and this caller asked for it where others get JSON. */
  readonly wantsEvents: boolean;
  /** Show a page: the operation has a `failurePage`, and this caller accepts HTML. */
  readonly wantsPage: boolean;
  /**
   * Counts the call against the operation's `countsFound` limits. Throws 429. Call it once you know that the path's
   * record exists.
   */
  readonly countCall: () => Promise<void>;
  /**
   * Aborted when the client has left or the server stops. Never aborted for operations that neither stream nor set
   * `stopsWithCaller`.
   */
  readonly signal: AbortSignal;
}

export type HandlerRequest<O extends Operation> = OperationInput<O> & RequestFacts;

/** Handler of an operation with `transaction: 'tenant'`: the binder opens `tx` and commits it before answering. */
export type TenantHandler<O extends Operation> = (tx: Tx, request: HandlerRequest<O>) => Promise<OperationReply<O>>;

/** Handler of an operation with `transaction: 'own'` or `'none'`. */
export type FreeHandler<O extends Operation> = (request: HandlerRequest<O>) => Promise<OperationReply<O>>;

export type Handler<O extends Operation> = O['transaction'] extends 'tenant' ? TenantHandler<O> : FreeHandler<O>;

/** A handler for each operation of a contract module. A missing one is a compile error. */
export type Handlers<Operations extends Record<string, Operation>> = {
  readonly [K in keyof Operations]: Handler<Operations[K]>;
};

/** Returns a 2xx answer with a body (null for none). */
export function reply<const S extends number, B>(status: S, body: B, headers?: Readonly<Record<string, string>>) {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/**
 * Header with the catalogue version that includes the change. Operations with `transaction: 'own'` that change the
 * catalogue add it themselves (`TransactionOptions.onCatalogueVersion` provides the version).
 */
export const configVersionHeader = (version: number): Readonly<Record<string, string>> => ({
  'x-config-version': String(version),
});

/** Header of an answer that repeats an earlier call with the same key. */
export const replayHeader: Readonly<Record<string, string>> = Object.freeze({ 'idempotent-replay': 'true' });

/** A handler whose operation the types no longer know. Only the binder calls it. */
export type AnyHandler = (...args: never[]) => Promise<unknown>;

/** Returns a module's `[operation id, handler]` pairs, for the map that `main` passes to `createApp`. */
export function handlerEntries<const M extends Record<string, Operation>>(
  operations: M,
  handlers: Handlers<M>,
): [string, AnyHandler][] {
  return Object.entries(operations).map(([name, operation]) => [operation.id, handlers[name as keyof M] as AnyHandler]);
}

/** A body to send byte for byte: JSON, or bytes of the operation's own media type. */
export class RawJson {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/** Returns a body in the bytes of the operation's media type, rendered once and sent to everyone. */
export function rawBytes<Body>(bytes: Uint8Array): Body {
  return new RawJson(bytes) as Body;
}

/**
 * Returns a body that's already JSON, `reply(200, rawJson<RecommendAnswer>(text))`: stored answers, and answers whose
 * parts exist before the request. The exact bytes are sent without a check (tests check them against the schema). This
 * is the fastest way to answer: the text is measured once and sent with the head in one system call. Measuring also
 * joins text built from pieces; pure ASCII makes both steps cheaper. The reply's own headers cost more than everything
 * else, so avoid them.
 */
export function rawJson<Body>(json: string | Uint8Array): Body {
  return new RawJson(json) as Body;
}
