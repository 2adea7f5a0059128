import { type Operation, operations, type Role, roles } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { AnyHandler, RequestFacts } from '../../http/handler.ts';
import { AppError } from '../../platform/app-error.ts';
import { asJson } from '../../platform/json.ts';
import { readColumnDefaults } from '../catalogue-records/index.ts';
import { personBehind } from '../credentials/index.ts';
import { readUserAddresses } from '../users/index.ts';
import { readLockWait } from './gitops.store.ts';
import { type Defaults, kinds } from './kinds.ts';
import type { CallInput, RuleContext } from './rules/kind-rules.ts';

/** The handlers of all operations by id: what an operation does is asked of itself (main plugs them in). */
export type OperationHandlers = () => ReadonlyMap<string, AnyHandler>;

/** Where the work finds what an operation does. */
export interface SessionHandlers {
  readonly operationHandlers: OperationHandlers;
  readonly handlersInside: ReadonlyMap<string, AnyHandler>;
}

/** One piece of work in one transaction. */
export interface Session extends RuleContext {
  /** How long it waits for a lock; changing a table makes that shorter for a while. */
  readonly lockWait: string;
  /** What stands where a file says nothing, by type. */
  readonly defaults: ReadonlyMap<string, Defaults>;
}

const operationsById = new Map<string, Operation>(Object.entries(operations));

const allows = (role: Role, least: Role | null): boolean =>
  least === null || roles.indexOf(role) >= roles.indexOf(least);

/** What the work knows of the tenant before it reads its records. */
export async function openSession(
  tx: Tx,
  facts: RequestFacts,
  handlers: SessionHandlers,
  options: { readonly allowDataLoss: boolean },
): Promise<Session> {
  const defaults = new Map<string, Defaults>();
  for (const kind of kinds) {
    const columns = await readColumnDefaults(tx, kind.resource);
    const own = Object.entries(kind.resource.files?.defaults ?? {}).map(
      ([name, value]) => [name, asJson(value)] as const,
    );
    const always = new Set(kind.rules.always ?? []);
    const known = [...columns, ...own].filter(([name]) => kind.properties.has(name) && !always.has(name));
    defaults.set(kind.type, new Map(known));
  }
  return {
    tx,
    now: tx.now,
    lockWait: await readLockWait(tx),
    allowDataLoss: options.allowDataLoss,
    person: await personBehind(tx),
    emails: await readUserAddresses(tx),
    defaults,
    call: (operationId, input) => callOperation(tx, facts, handlers, operationId, input),
  };
}

/**
 * Calls the handler of an operation inside the transaction: the same rules, audit rows and versions as over HTTP. The
 * caller's role must be the operation's (403).
 */
async function callOperation(
  tx: Tx,
  facts: RequestFacts,
  { operationHandlers, handlersInside }: SessionHandlers,
  operationId: string,
  { params = {}, query = {}, body }: CallInput,
): Promise<Json> {
  const operation = operationsById.get(operationId);
  const inside = handlersInside.get(operationId);
  const handler = inside ?? operationHandlers().get(operationId);
  if (operation === undefined || handler === undefined) throw new Error(`there is no operation ${operationId}`);
  if (inside === undefined && operation.transaction !== 'tenant')
    throw new Error(`${operationId} opens a transaction of its own`);
  if (!allows(facts.role, operation.role)) throw new AppError('forbidden');
  // The handlers' types are checked where they are written (http/handler.ts); bodies are checked against their schemas.
  const run = handler as (tx: Tx, request: object) => Promise<{ readonly status: number; readonly body: unknown }>;
  const answer = await run(tx, { ...facts, idempotencyKey: null, params, query, headers: {}, body });
  return asJson(answer.body);
}
