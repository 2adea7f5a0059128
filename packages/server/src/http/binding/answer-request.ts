import { isSignature, type Operation } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import { answerWithinMs } from '../../platform/deadline.ts';
import type { Remark } from '../../platform/remark.ts';
import type { Answer } from '../answers/answer.ts';
import { refusalOf, strictApplied } from '../answers/remarks.ts';
import { createInspect } from '../answers/response-check.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { AnyHandler } from '../handler.ts';
import { createInputReader, type Input, type InputReader } from '../input/input.ts';
import { prefersStrict } from '../input/preferences.ts';
import type { StreamPlaces } from '../input/stream-places.ts';
import type { Checks } from '../input/validation.ts';
import type { HttpMetrics } from '../metrics.ts';
import { transport } from '../transport.ts';
import { asksForHtml } from '../web-paths.ts';
import type { Admission } from './admission.ts';
import type { Caller } from './caller.ts';
import { asksForEvents, eventsOf, isStreaming, neverAborted, signalOf } from './kinds.ts';
import { createVerifySignature, type VerifySignature } from './operator-secrets.ts';
import { createPerform } from './perform.ts';
import { createReceiveBody } from './receive-body.ts';
import { addHeaders, type RequestState } from './request-state.ts';
import type { RouteLimits } from './route-limits.ts';
import { createCheckUnknown } from './unknown-input.ts';

/** Returns the answer of one operation to a request. Rejects with AppError, or with whatever the handler threw. */
export type AnswerRequest = (request: FastifyRequest, reply: FastifyReply, state: RequestState) => Promise<Answer>;

export interface AnswerParts {
  readonly deps: AppDependencies;
  readonly admission: Admission;
  readonly limits: RouteLimits;
  readonly checks: Checks;
  readonly streamPlaces: StreamPlaces;
  readonly metrics: HttpMetrics;
}

/**
 * Puts the steps of one operation together, in the order of docs/design/api-access.md 3: admission, body, syntax,
 * unknown names, shape, handler.
 */
export function createAnswerRequest(operation: Operation, handler: AnyHandler, parts: AnswerParts): AnswerRequest {
  const { deps, admission, limits, checks } = parts;
  const isEarly = operation.loadClass === 'decision';
  const verify = verifierOf(operation, deps, parts.metrics);
  const input = createInputReader(operation, (schema, place) => checks.compile(schema, place, isEarly));
  const receive = createReceiveBody(operation, input, verify);
  const checkUnknown = createCheckUnknown(operation);
  const inspect = createInspect(operation, deps.checkResponses === true ? checks.compile : null);
  const perform = createPerform(operation, handler, deps.database, inspect);
  const takeStream = createTakeStream(operation, parts.streamPlaces);
  const hasPage = operation.failurePage !== undefined;
  const followsCaller = isStreaming(operation) || operation.stopsWithCaller === true;
  const withinMs = deps.answerWithinMs ?? answerWithinMs;

  return async (request, reply, state) => {
    const { raw } = request;
    const caller = await admission.enter(request, state);
    const spentMs = performance.now() - state.startedAt;
    const receiving = receive(raw);
    const received = receiving instanceof Promise ? await receiving : receiving;
    // The time to send the body is up to the caller; all other time since arrival counts. The handler reads a streamed
    // body itself, within the transport's limit for a request.
    const bodyMs = received.reader === undefined ? 0 : transport.requestTimeoutMs;
    const until = performance.now() + withinMs + bodyMs - spentMs;
    let parsed = received.bytes === null ? received.reader : input.form.parse(received.bytes, raw);
    if (parsed instanceof Promise) parsed = await parsed;
    const isStrict = prefersStrict(raw.headers.prefer);
    if (isStrict) addHeaders(state, strictApplied);
    const unknown = checkUnknown(raw, parsed, isStrict, state);
    const { params, query, headers, body, idempotencyKey } = readInput(input, request, parsed, {
      size: received.bytes?.length ?? 0,
      refusedFirst: isStrict ? unknown : null,
    });
    if (limits.onValidInput !== null) await limits.onValidInput(request, caller, state, body);
    return await perform({
      requestId: state.requestId,
      tenantId: caller.tenantId,
      actor: caller.actor,
      role: caller.role,
      credentialId: caller.credentialId,
      ip: request.ip,
      userAgent: raw.headers['user-agent'] ?? '',
      idempotencyKey,
      params,
      query,
      headers,
      body,
      until,
      isStrict,
      unknown,
      wantsEvents: takeStream(request, caller, state),
      countCall: () => limits.onFound(request, caller, state),
      wantsPage: hasPage && asksForHtml(raw.headers.accept ?? ''),
      signal: followsCaller ? signalOf(reply, deps.lifecycle) : neverAborted,
    });
  };
}

/** Returns the check of an operation's signature; null for an operation without one. */
function verifierOf(operation: Operation, deps: AppDependencies, metrics: HttpMetrics): VerifySignature | null {
  const { auth } = operation;
  if (!isSignature(auth)) return null;
  const verify = createVerifySignature(
    operation,
    auth,
    deps.config.secrets,
    deps.isSignedByProvider ?? (async () => false),
  );
  const fail = (error: unknown): never => {
    metrics.authFailed('signature');
    throw error;
  };
  return (request, bytes) => {
    try {
      return verify(request, bytes)?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  };
}

interface InputFacts {
  /** Bytes of the body. */
  readonly size: number;
  /** Unknown names that a strict caller sees before other problems. */
  readonly refusedFirst: readonly Remark[] | null;
}

function readInput(input: InputReader, request: FastifyRequest, parsed: unknown, facts: InputFacts): Input {
  try {
    return input.read(request, parsed, facts.size);
  } catch (error) {
    if (facts.refusedFirst !== null && error instanceof AppError) throw refusalOf(facts.refusedFirst);
    throw error;
  }
}

/** Returns a function that takes a place among the event streams if the caller gets one, and says whether it does. */
function createTakeStream(operation: Operation, streamPlaces: StreamPlaces) {
  const events = eventsOf(operation);
  return ({ raw }: FastifyRequest, { tenantId }: Caller, state: RequestState): boolean => {
    const wantsEvents = events === 'always' || (events === 'asked' && asksForEvents(raw.headers.accept));
    if (wantsEvents) state.leaveStream = streamPlaces.take(tenantId);
    return wantsEvents;
  };
}
