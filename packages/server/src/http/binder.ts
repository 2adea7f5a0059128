import type { Operation } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import { answerWithinMs } from '../platform/deadline.ts';
import { newId } from '../platform/ids.ts';
import { type Caller, createIdentify, nobody } from './access.ts';
import type { Answer } from './answer.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { createCors } from './cors.ts';
import type { AnyHandler } from './handler.ts';
import { createReadInput } from './input.ts';
import { limitsOf, takeLimits } from './limits.ts';
import { createLoadShedder } from './load-shedding.ts';
import type { HttpMetrics } from './metrics.ts';
import { createPerform } from './perform.ts';
import { toAppError } from './problem.ts';
import { createRateLimitStore } from './rate-limit.ts';
import { createInspect } from './response-check.ts';
import { type ExtraHeaders, problemAnswer, sendAndLinger, sendAnswer } from './send.ts';
import { createChecks } from './validation.ts';

/** Headers that a request may carry at most; more is 400 (quality.md T33). */
const maximumHeaders = 128;
const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** What is known of a request while it is served; ends up in the log line and the metrics. */
interface Call {
  readonly requestId: string;
  readonly startedAt: number;
  readonly headers: ExtraHeaders;
  tenantId: string | null;
  credentialId: string | null;
}

export interface Binder {
  /** Compiles the schemas that no request has asked for yet, without blocking. */
  warmUp(): void;
  /** The whole service of one operation: checks in the order of api-access.md 3, handler, answer, log, metrics. */
  bind(operation: Operation, handler: AnyHandler): (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Answers what matched no operation: preflight, 405 with `Allow`, 404. */
  answerUnmatched(request: FastifyRequest, reply: FastifyReply, methods: readonly string[] | null): void;
  /** Answers an error that was found before an operation was. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: AppError): void;
}

export function createBinder(deps: AppDependencies, metrics: HttpMetrics): Binder {
  const identify = createIdentify(deps, metrics);
  const store = deps.rateLimitStore ?? createRateLimitStore(deps.database);
  const shedder = deps.loadShedder ?? createLoadShedder();
  const cors = createCors(deps.config.corsAllowedOrigins);
  const checks = createChecks();
  const { logger } = deps;

  function begin(request: FastifyRequest): Call {
    const sent = request.headers['x-request-id'];
    const requestId = typeof sent === 'string' && requestIdForm.test(sent) ? sent : newId();
    const headers: ExtraHeaders = { 'x-request-id': requestId };
    cors.addHeaders(request, headers);
    if (deps.lifecycle.draining()) headers.connection = 'close';
    return { requestId, startedAt: performance.now(), headers, tenantId: null, credentialId: null };
  }

  function finish(call: Call, method: string, route: string, status: number): void {
    const ms = performance.now() - call.startedAt;
    metrics.answered(method, route, status, ms / 1000);
    // An allowlisted shape: the route's pattern, never the URL, which holds ids of customers (T36).
    logger.info(
      {
        requestId: call.requestId,
        method,
        route,
        status,
        ms: Math.round(ms * 100) / 100,
        tenantId: call.tenantId,
        credentialId: call.credentialId,
      },
      'request',
    );
  }

  function fail(thrown: unknown, call: Call, route: string): Answer {
    const error = toAppError(thrown);
    if (error.status >= 500 && error.code !== 'overloaded') {
      const facts = { requestId: call.requestId, route, code: error.code, err: error.cause ?? error };
      if (error.code === 'internal') logger.error(facts, 'request failed');
      else logger.warn(facts, 'request failed');
    }
    return problemAnswer(error, call.requestId);
  }

  function bind(operation: Operation, handler: AnyHandler) {
    if (operation.transaction === 'tenant' && operation.auth !== 'credential') {
      throw new Error(`operation ${operation.id} has no credential that could name the tenant of its transaction`);
    }
    const readInput = createReadInput(operation, checks.compile);
    const perform = createPerform(operation, handler, deps.database);
    const inspect = createInspect(operation, deps.checkResponses === true ? checks.compile : null);
    const limits = limitsOf(operation, deps.config);
    const isOpen = operation.auth === 'none';
    const { loadClass, path: route } = operation;

    async function performBound(request: FastifyRequest, call: Call, caller: Caller): Promise<Answer> {
      const spentMs = performance.now() - call.startedAt;
      // How long the body takes is the caller's matter; all other time since the arrival counts.
      const input = await readInput(request);
      const until = performance.now() + (deps.answerWithinMs ?? answerWithinMs) - spentMs;
      return perform(request, input, caller, call.requestId, until, inspect);
    }

    async function answer(request: FastifyRequest, call: Call): Promise<Answer> {
      if (request.raw.rawHeaders.length > 2 * maximumHeaders) {
        throw new AppError('malformed_request', { detail: `More than ${maximumHeaders} headers.` });
      }
      const announce = (headers: ExtraHeaders) => Object.assign(call.headers, headers);
      const limit = (caller: Parameters<typeof takeLimits>[2]) =>
        takeLimits(operation, limits, caller, store, metrics, announce);
      if (isOpen && limits.length > 0) await limit({ ...nobody, ip: request.ip });
      const caller = await identify(operation, request);
      if (isOpen) return performBound(request, call, caller);
      call.tenantId = caller.tenantId;
      call.credentialId = caller.credentialId;
      if (limits.length > 0) await limit({ ...caller, ip: request.ip });
      shedder.enterTenant(loadClass, caller.tenantId);
      try {
        return await performBound(request, call, caller);
      } finally {
        shedder.leaveTenant(loadClass, caller.tenantId);
      }
    }

    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const call = begin(request);
      let admitted = false;
      let outcome: Answer;
      try {
        shedder.enter(loadClass);
        admitted = true;
        outcome = await answer(request, call);
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.code === 'overloaded') metrics.shed(loadClass);
        outcome = fail(thrown, call, route);
      }
      if (admitted) shedder.leave(loadClass);
      // The stop may have begun while this call was running; a connection that stays open would delay it.
      if (deps.lifecycle.draining()) call.headers.connection = 'close';
      try {
        if (outcome.status === 413) sendAndLinger(reply, outcome, call.headers);
        else sendAnswer(reply, outcome, call.headers);
      } catch (thrown) {
        // A header that cannot be written; the work is done and committed, but the caller must not hang.
        outcome = fail(thrown, call, route);
        if (reply.raw.headersSent) reply.raw.destroy();
        else sendAnswer(reply, outcome, call.headers);
      }
      finish(call, operation.method, route, outcome.status);
    };
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, error: AppError, allow?: string): void {
    const call = begin(request);
    if (allow !== undefined) call.headers.allow = allow;
    sendAnswer(reply, fail(error, call, unmatched), call.headers);
    finish(call, unmatched, unmatched, error.status);
  }

  return {
    warmUp: () => checks.warmUp(),
    bind,
    refuse: (request, reply, error) => refuse(request, reply, error),
    answerUnmatched(request, reply, methods) {
      if (methods === null)
        return refuse(request, reply, new AppError('not_found', { detail: 'There is no such path.' }));
      const preflight = cors.preflight(request, methods);
      if (preflight !== null) return sendAnswer(reply, preflight, begin(request).headers);
      const detail = `This path takes ${methods.join(', ')}.`;
      refuse(request, reply, new AppError('method_not_allowed', { detail }), methods.join(', '));
    },
  };
}

/** Label of requests that matched no operation: their own words must not make new series. */
const unmatched = 'unmatched';
