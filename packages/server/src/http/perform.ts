import type { Operation } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import type { Tx } from '../db/tx.ts';
import { AppError } from '../platform/app-error.ts';
import type { Caller } from './access.ts';
import { type Answer, renderReply, type UntypedReply } from './answer.ts';
import type { AppDependencies } from './app-dependencies.ts';
import type { AnyHandler, RequestFacts } from './handler.ts';
import { findAnswer, type KeyedCall, keepAnswer, payloadHash } from './idempotency.ts';
import type { Input } from './input.ts';

/** Runs the handler of one operation, in its transaction when it has one. */
export type Perform = (
  request: FastifyRequest,
  input: Input,
  caller: Caller,
  requestId: string,
  until: number,
  inspect: (reply: UntypedReply) => void,
) => Promise<Answer>;

type RequestOf = Input & RequestFacts;

/** A lost race (deadlock, serialisation) is run again so often before the caller gets its 409. */
const maximumTries = 3;

export function createPerform(
  operation: Operation,
  handler: AnyHandler,
  database: AppDependencies['database'],
): Perform {
  const mediaTypes = new Map<number, string>();
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.mediaType !== undefined) mediaTypes.set(Number(status), response.mediaType);
  }
  // The handlers' types are checked where they are written (http/handler.ts); from here on they are all alike.
  const free = handler as (request: RequestOf) => Promise<UntypedReply>;
  const inTransaction = handler as (tx: Tx, request: RequestOf) => Promise<UntypedReply>;

  return async (request, input, caller, requestId, until, inspect) => {
    const call: RequestOf = {
      requestId,
      tenantId: caller.tenantId,
      actor: caller.actor,
      role: caller.role,
      credentialId: caller.credentialId,
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      idempotencyKey: input.idempotencyKey,
      params: input.params,
      query: input.query,
      headers: input.headers,
      body: input.body,
      until,
    };
    if (operation.transaction !== 'tenant') {
      const reply = await free(call);
      inspect(reply);
      return renderReply(reply, mediaTypes);
    }
    const keyed = keyedCallOf(operation, call);
    const work = async (tx: Tx): Promise<Answer> => {
      const kept = keyed === null ? null : await findAnswer(tx, keyed);
      if (kept !== null) return { ...kept, headers: { ...kept.headers, 'idempotent-replay': 'true' } };
      const reply = await inTransaction(tx, call);
      inspect(reply);
      const answer = renderReply(reply, mediaTypes);
      // 4xx and 5xx change nothing (quality.md law 1), also where a handler answers them without throwing.
      if (answer.status >= 400) throw new Refusal(answer);
      if (keyed !== null) await keepAnswer(tx, keyed, { ...answer, body: textOf(answer) });
      return answer;
    };
    return runInTenant(database, caller, { requestId, until }, work);
  };
}

async function runInTenant(
  database: AppDependencies['database'],
  caller: Caller,
  options: { readonly requestId: string; readonly until: number },
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.withTenant(caller.tenantId, caller.actor, work, options);
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      if (tries === maximumTries || !isLostRace(error)) throw error;
    }
  }
}

/** Rolls the transaction back and carries the answer out of it. */
class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.answer = answer;
  }
}

/** A race that the database broke off, unlike one that a service lost by its own rules (no cause). */
function isLostRace(error: unknown): boolean {
  return error instanceof AppError && error.code === 'concurrent_modification' && error.cause !== undefined;
}

function keyedCallOf(operation: Operation, call: RequestOf): KeyedCall | null {
  if (call.idempotencyKey === null) return null;
  return {
    credentialId: call.credentialId,
    route: `${operation.method} ${operation.path}`,
    key: call.idempotencyKey,
    payloadHash: payloadHash(call.params, call.query, call.body),
  };
}

function textOf(answer: Answer): string | null {
  return answer.body === null || typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString();
}
