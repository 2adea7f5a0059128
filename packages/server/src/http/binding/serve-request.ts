import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import { type Answer, isWhole, type WholeAnswer } from '../answers/answer.ts';
import { type ExtraHeaders, sendAndLinger, sendAnswer, sendChunks } from '../answers/send.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { ClientConnections } from '../connections.ts';
import { defaultHoldMs } from '../limits/gate.ts';
import type { HttpMetrics } from '../metrics.ts';
import { asksForHtml } from '../web-paths.ts';
import type { Admission } from './admission.ts';
import type { AnswerRequest } from './answer-request.ts';
import type { FailureAnswer } from './failure-answer.ts';
import { isStreaming } from './kinds.ts';
import type { LogRequest } from './request-log.ts';
import { addHeaders, type CreateRequestState, type RequestState } from './request-state.ts';

/** Serves a request from its arrival to the sent answer. Never rejects. */
export type ServeRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface ServeParts {
  readonly lifecycle: AppDependencies['lifecycle'];
  readonly metrics: HttpMetrics;
  readonly connections: ClientConnections;
  readonly begin: CreateRequestState;
  readonly failureAnswer: FailureAnswer;
}

/** Closes the connection with the answer. */
export const closing: ExtraHeaders = { connection: 'close' };

export function createServeRequest(
  operation: Operation,
  { admission, answer, log }: { admission: Admission; answer: AnswerRequest; log: LogRequest },
  { lifecycle, metrics, connections, begin, failureAnswer }: ServeParts,
): ServeRequest {
  const { failurePage, path: route } = operation;
  const countShed = metrics.shedCounter(operation.loadClass);
  const send = createSendOutcome(operation, connections, failureAnswer);
  return async (request, reply) => {
    const state = begin(request);
    let outcome: Answer;
    let isShed = false;
    try {
      outcome = await answer(request, reply, state);
    } catch (thrown) {
      isShed = thrown instanceof AppError && thrown.code === 'overloaded';
      if (isShed) countShed();
      const page = failurePage !== undefined && asksForHtml(request.raw.headers.accept ?? '') ? failurePage : null;
      outcome = failureAnswer(thrown, state, route, { ...operation, page });
    }
    admission.leave(state);
    // Only an answer that's being sent keeps its place.
    if (isWhole(outcome)) state.leaveStream?.();
    // Wait without holding a place, as at the gate: a client that retries right after a refusal must not be served
    // faster for it.
    const holdMs = isShed ? state.startedAt + defaultHoldMs - performance.now() : 0;
    if (holdMs > 0) await sleep(holdMs);
    // Shutdown may have begun while this call ran, and a connection left open would delay it.
    if (lifecycle.closesConnection()) addHeaders(state, closing);
    const sent = send(request, reply, outcome, state);
    log(state, typeof sent === 'number' ? sent : await sent);
  };
}

/** Sends an answer, or the failure to send it. Returns the status that was sent. */
type SendOutcome = (
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: Answer,
  state: RequestState,
) => number | Promise<number>;

function createSendOutcome(
  operation: Operation,
  connections: ClientConnections,
  failureAnswer: FailureAnswer,
): SendOutcome {
  const streams = isStreaming(operation);
  const sendWhole = createSendWhole(connections);
  /** A header can't be written. The work is committed, but the caller must not hang. */
  function sendFailure(thrown: unknown, reply: FastifyReply, state: RequestState): number {
    const failed = failureAnswer(thrown, state, operation.path, operation);
    if (reply.raw.headersSent) reply.raw.destroy();
    else sendWhole(reply, failed, state);
    return failed.status;
  }

  async function sendStream(reply: FastifyReply, outcome: Answer, state: RequestState): Promise<number> {
    try {
      await sendChunks(reply, outcome, state);
      connections.sent(reply.raw);
      return outcome.status;
    } catch (thrown) {
      return sendFailure(thrown, reply, state);
    } finally {
      state.leaveStream?.();
    }
  }

  return (request, reply, outcome, state) => {
    if (!isWhole(outcome)) return sendStream(reply, outcome, state);
    try {
      if (outcome.status === 413 || (streams && isUnread(request.raw))) sendAndLinger(reply, outcome, state);
      else sendWhole(reply, outcome, state);
      return outcome.status;
    } catch (thrown) {
      return sendFailure(thrown, reply, state);
    } finally {
      state.leaveStream?.();
    }
  };
}

/** Returns true while part of the body is unread. A request without a socket never reports whether it's complete. */
const isUnread = (request: IncomingMessage): boolean => request.complete === false;

/** Sends an answer with all of its bytes, after which the connection's next request has its turn. */
export function createSendWhole(connections: ClientConnections) {
  return (reply: FastifyReply, answer: WholeAnswer, state: RequestState): void => {
    sendAnswer(reply, answer, state);
    connections.sent(reply.raw);
  };
}
