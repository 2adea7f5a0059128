import { type Operation, Warnings } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Remark } from '../../platform/remark.ts';
import { type Answer, createRender, type UntypedReply } from '../answers/answer.ts';
import { refusalOf, remarksText, unknownProperties, warningsOf } from '../answers/remarks.ts';
import { isChunks } from '../answers/streamed-answer.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { type AnyHandler, configVersionHeader, type RequestFacts, replayHeader } from '../handler.ts';
import type { Input } from '../input/input.ts';
import { findAnswer, type KeyedCall, keepAnswer, payloadHash } from './idempotency.store.ts';

/** The input of any handler. */
export interface Call extends Input, RequestFacts {
  /** The caller wants an error where others get a remark. */
  readonly isStrict: boolean;
  /** Unknown parts of the request; null when there are none. */
  readonly unknown: readonly Remark[] | null;
}

/** Runs one operation's handler, in its transaction if it has one. */
export type Perform = (call: Call) => Promise<Answer>;

/** How often a lost race (deadlock, serialization) runs before the caller gets its 409. */
const maximumTries = 3;

export function createPerform(
  operation: Operation,
  handler: AnyHandler,
  database: AppDependencies['database'],
  inspect: (reply: UntypedReply) => void,
): Perform {
  const render = createRender(operation);
  const withWarnings = createWithWarnings(operation);
  // Handler types are checked where handlers are written (http/handler.ts). From here on they're all alike.
  if (operation.transaction !== 'tenant') {
    const free = handler as (call: Call) => Promise<UntypedReply>;
    return async (call) => {
      const reply = await free(call);
      inspect(reply);
      return render(reply, call.signal);
    };
  }
  const inTransaction = handler as (tx: Tx, call: Call) => Promise<UntypedReply>;
  return (call) => {
    if (call.isStrict && call.unknown !== null) return refuseWithAll(call, call.unknown, inTransaction, database);
    const keyed = keyedCallOf(operation, call);
    const work = async (tx: Tx): Promise<Answer> => {
      const storedAnswer = keyed === null ? null : await findAnswer(tx, keyed);
      if (storedAnswer !== null) return { ...storedAnswer, headers: { ...storedAnswer.headers, ...replayHeader } };
      const reply = withWarnings(await inTransaction(tx, call), [...(call.unknown ?? []), ...tx.remarks]);
      inspect(reply);
      const answer = withRemarks(render(reply, call.signal), tx.remarks, call);
      // 4xx and 5xx change nothing (docs/design/quality.md law 1), even when a handler returns them without throwing.
      if (answer.status >= 400) throw new Refusal(answer);
      if (keyed !== null) await keepAnswer(tx, keyed, { ...answer, body: textOf(answer) });
      return answer;
    };
    return runInTenant(operation, database, call, work);
  };
}

/**
 * Rejects a strict call that names something unknown. Runs the work and rolls it back, so that the error also lists the
 * service's remarks and the caller can fix everything at once.
 */
async function refuseWithAll(
  call: Call,
  unknown: readonly Remark[],
  handler: (tx: Tx, call: Call) => Promise<UntypedReply>,
  database: AppDependencies['database'],
): Promise<Answer> {
  let remarks: readonly Remark[] = [];
  const { tenantId, actor, requestId, until } = call;
  const work = async (tx: Tx): Promise<never> => {
    try {
      await handler(tx, call);
    } finally {
      remarks = tx.remarks.filter(({ isAdvice }) => isAdvice !== true);
    }
    throw refusalOf([...unknown, ...remarks]);
  };
  try {
    return await database.withTenant(tenantId, actor, work, { requestId, until });
  } catch (error) {
    // Other service errors (404, 409) are reported once the names are right. Server faults aren't hidden.
    if (error instanceof AppError && error.status < 500) throw refusalOf([...unknown, ...remarks]);
    throw error;
  }
}

/** Adds the service's remarks. For a strict caller they become the error, and nothing is stored. */
function withRemarks(answer: Answer, told: readonly Remark[], { isStrict, unknown }: Call): Answer {
  if (told.length === 0 || answer.status >= 400) return answer;
  const remarks = told.filter(({ isAdvice }) => isAdvice !== true);
  if (remarks.length === 0) return answer;
  if (isStrict) throw refusalOf(remarks);
  const text = remarksText([...(unknown ?? []), ...remarks]);
  return { ...answer, headers: { ...answer.headers, [unknownProperties]: text } };
}

/** Adds the remarks to the body if the operation's answer has a list of warnings. */
function createWithWarnings({ responses }: Operation) {
  const statuses = new Set(
    Object.entries(responses).flatMap(([status, { schema }]) =>
      warningsIn(schema) === Warnings ? [Number(status)] : [],
    ),
  );
  return (reply: UntypedReply, remarks: readonly Remark[]): UntypedReply => {
    if (remarks.length === 0 || !statuses.has(reply.status)) return reply;
    if (typeof reply.body !== 'object' || reply.body === null) return reply;
    return { ...reply, body: { ...reply.body, warnings: warningsOf(remarks) } };
  };
}

function warningsIn(schema: unknown): unknown {
  const properties: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'properties') : null;
  return typeof properties === 'object' && properties !== null ? Reflect.get(properties, 'warnings') : undefined;
}

async function runInTenant(
  { changesCatalogue }: Operation,
  database: AppDependencies['database'],
  { tenantId, actor, requestId, until }: Call,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (changesCatalogue !== true) return await database.withTenant(tenantId, actor, work, { requestId, until });
      let version = 0;
      const onCatalogueVersion = (told: number): void => {
        version = told;
      };
      const answer = await database.withTenant(tenantId, actor, work, { requestId, until, onCatalogueVersion });
      return { ...answer, headers: { ...answer.headers, ...configVersionHeader(version) } };
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

/** Returns true for a race that the database aborted, unlike one a service lost by its own rules (no cause). */
export function isLostRace(error: unknown): boolean {
  return error instanceof AppError && error.code === 'concurrent_modification' && error.cause !== undefined;
}

function keyedCallOf(operation: Operation, call: Call): KeyedCall | null {
  if (call.idempotencyKey === null) return null;
  return {
    credentialId: call.credentialId,
    route: `${operation.method} ${operation.path}`,
    key: call.idempotencyKey,
    payloadHash: payloadHash(call.params, call.query, call.body),
  };
}

function textOf({ body }: Answer): string | null {
  if (body === null || typeof body === 'string') return body;
  if (isChunks(body)) throw new Error("a streamed response can't be stored for repeated calls");
  return Buffer.from(body).toString();
}
