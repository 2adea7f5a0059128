import { type Operation, operations, type Role, roles } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { asJson } from '../../platform/json.ts';
import type { AnyHandler, RequestFacts } from '../handler.ts';

/** The handlers of all operations by id, plugged in by main, so that internal work can call operations. */
export type OperationHandlers = () => ReadonlyMap<string, AnyHandler>;

/** Where internal work finds operation handlers. */
export interface InsideHandlers {
  readonly operationHandlers: OperationHandlers;
  /** Handlers that replace an operation's own for work inside a transaction. */
  readonly handlersInside: ReadonlyMap<string, AnyHandler>;
}

/** The input of an operation. The caller checks the body. */
export interface InsideInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const operationsById = new Map<string, Operation>(Object.entries(operations));

const allows = (role: Role, least: Role | null): boolean =>
  least === null || roles.indexOf(role) >= roles.indexOf(least);

/**
 * Calls an operation's handler inside the transaction, with the same rules, audit rows and versions as over HTTP.
 * Throws 403 when the role of `facts` is below the operation's.
 */
export async function callInside(
  tx: Tx,
  facts: RequestFacts,
  { operationHandlers, handlersInside }: InsideHandlers,
  operationId: string,
  { params = {}, query = {}, body }: InsideInput,
): Promise<Json> {
  const operation = operationsById.get(operationId);
  const inside = handlersInside.get(operationId);
  const handler = inside ?? operationHandlers().get(operationId);
  if (operation === undefined || handler === undefined) throw new Error(`the operation ${operationId} does not exist`);
  if (inside === undefined && operation.transaction !== 'tenant')
    throw new Error(`${operationId} opens its own transaction`);
  if (!allows(facts.role, operation.role)) {
    throw new AppError('forbidden', { detail: `This requires the ${operation.role} role.` });
  }
  // Handler types are checked where handlers are written (handler.ts); bodies are checked against their schemas.
  const run = handler as (tx: Tx, request: object) => Promise<{ readonly status: number; readonly body: unknown }>;
  const answer = await run(tx, { ...facts, idempotencyKey: null, params, query, headers: {}, body });
  return asJson(answer.body);
}
