import type { IncomingMessage } from 'node:http';
import type { ErrorFormat, Operation } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import type { WholeAnswer } from '../answers/answer.ts';
import { createPages } from '../answers/pages.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { ClientConnections } from '../connections.ts';
import type { AnyHandler } from '../handler.ts';
import { createStreamPlaces } from '../input/stream-places.ts';
import { createChecks } from '../input/validation.ts';
import type { LoadShedder } from '../limits/load-shedding.ts';
import { createRateLimitStore } from '../limits/rate-limit.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { KnownPath } from '../paths.ts';
import { createIdentify } from './access.ts';
import { createAdmission } from './admission.ts';
import { createAnswerRequest } from './answer-request.ts';
import type { Cors } from './cors.ts';
import { createFailureAnswer } from './failure-answer.ts';
import { checkKinds } from './kinds.ts';
import { createRequestLog } from './request-log.ts';
import { addHeaders, requestStates } from './request-state.ts';
import { createRouteLimits } from './route-limits.ts';
import { closing, createSendWhole, createServeRequest, type ServeParts, type ServeRequest } from './serve-request.ts';

export interface Binder extends Unmatched {
  /** Compiles the schemas of decisions before the port opens. */
  prepare(): void;
  /**
   * Serves one operation: checks in the order of docs/design/api-access.md 3, then handler, answer, log and metrics.
   */
  bind(operation: Operation, handler: AnyHandler): ServeRequest;
}

/** Answers to requests that no operation serves. */
interface Unmatched {
  /** Sends a file of the site. */
  sendFile(request: FastifyRequest, reply: FastifyReply, answer: WholeAnswer): void;
  /** Answers a request that matched no operation: preflight, 405 with `Allow`, 404. */
  answerUnmatched(request: FastifyRequest, reply: FastifyReply, known: KnownPath): void;
  /** Answers with an error that was found before the operation was. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): void;
}

/** What the binder shares with the rest of the HTTP layer. */
export interface BinderParts {
  readonly metrics: HttpMetrics;
  readonly connections: ClientConnections;
  readonly cors: Cors;
  readonly shedder: LoadShedder;
  /** Monotonic ms at which requests arrived that had to wait at the gate. */
  readonly arrivals: WeakMap<IncomingMessage, number>;
}

export function createBinder(deps: AppDependencies, parts: BinderParts): Binder {
  const { metrics, connections, cors, shedder, arrivals } = parts;
  const { logger, lifecycle, config } = deps;
  const identifyFor = createIdentify(deps, metrics);
  const store = deps.rateLimitStore ?? createRateLimitStore(deps.database);
  const streamPlaces = createStreamPlaces();
  const checks = createChecks();
  const serving: ServeParts = {
    lifecycle,
    metrics,
    connections,
    begin: requestStates(arrivals, cors),
    failureAnswer: createFailureAnswer(logger, createPages(config.publicUrl)),
  };
  return {
    prepare: () => checks.prepare(),
    bind(operation, handler) {
      checkKinds(operation);
      const limits = createRouteLimits(operation, config, store, metrics);
      const admission = createAdmission(operation, identifyFor(operation), limits, shedder);
      const answerParts = { deps, admission, limits, checks, streamPlaces, metrics };
      const answer = createAnswerRequest(operation, handler, answerParts);
      const log = createRequestLog(metrics, logger, operation);
      return createServeRequest(operation, { admission, answer, log }, serving);
    },
    ...createUnmatched(deps, cors, serving),
  };
}

/** Label of requests that matched no operation. Their paths must not create new series. */
const unmatched = 'unmatched';

function createUnmatched({ logger }: AppDependencies, cors: Cors, parts: ServeParts): Unmatched {
  const { lifecycle, metrics, connections, begin, failureAnswer } = parts;
  const log = createRequestLog(metrics, logger, { method: unmatched, path: unmatched });
  const send = createSendWhole(connections);

  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    error: AppError,
    format?: ErrorFormat,
    allow?: string,
  ): void {
    const state = begin(request);
    if (lifecycle.closesConnection()) addHeaders(state, closing);
    if (allow !== undefined) addHeaders(state, { allow });
    send(reply, failureAnswer(error, state, unmatched, format === undefined ? {} : { errorFormat: format }), state);
    log(state, error.status);
  }

  /** Answers requests that need no operation: a preflight, a file. */
  function sendFile(request: FastifyRequest, reply: FastifyReply, answer: WholeAnswer): void {
    const state = begin(request);
    if (lifecycle.closesConnection()) addHeaders(state, closing);
    send(reply, answer, state);
  }

  return {
    refuse: (request, reply, error) => refuse(request, reply, error),
    sendFile,
    answerUnmatched(request, reply, { methods, format }) {
      if (methods === null) {
        return refuse(request, reply, new AppError('not_found', { detail: 'This path does not exist.' }), format);
      }
      const preflight = cors.preflight(request, methods);
      if (preflight !== null) return sendFile(request, reply, preflight);
      const detail = `This path supports ${methods.join(', ')} only.`;
      refuse(request, reply, new AppError('method_not_allowed', { detail }), format, methods.join(', '));
    },
  };
}
