import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorFormat, isSignature, namesTenant, type Operation, type RateLimit } from '@arbiter/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import { answerWithinMs } from '../../platform/deadline.ts';
import type { Remark } from '../../platform/remark.ts';
import { type Answer, isWhole, type WholeAnswer } from '../answers/answer.ts';
import { errorAnswer } from '../answers/error-formats.ts';
import { createPages } from '../answers/pages.ts';
import { attemptId, toAppError } from '../answers/problem.ts';
import { refusalOf, remarksText, strictApplied, unknownProperties } from '../answers/remarks.ts';
import { createInspect } from '../answers/response-check.ts';
import { type ExtraHeaders, sendAndLinger, sendAnswer, sendChunks } from '../answers/send.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import type { Connections } from '../connections.ts';
import type { AnyHandler } from '../handler.ts';
import { mediaTypeOf } from '../input/body-kinds.ts';
import { createInputReader, type Input } from '../input/input.ts';
import { readParts } from '../input/multipart.ts';
import { prefersStrict } from '../input/preferences.ts';
import { refuseBody, refuseLength, takeBody } from '../input/request-body.ts';
import { FileBody, readStream } from '../input/stream-body.ts';
import { createStreamPlaces } from '../input/stream-places.ts';
import { createFindUnknown } from '../input/unknown-properties.ts';
import { createChecks } from '../input/validation.ts';
import { callerOf, usualHoldMs } from '../limits/gate.ts';
import { limitsOf, takeLimits } from '../limits/limits.ts';
import type { LoadShedder } from '../limits/load-shedding.ts';
import { createRateLimitStore } from '../limits/rate-limit.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { KnownPath } from '../paths.ts';
import { requestIdOf } from '../request-id.ts';
import { transport } from '../transport.ts';
import { asksForHtml } from '../web-paths.ts';
import { anonymous, type Caller, createIdentify } from './access.ts';
import type { Cors } from './cors.ts';
import { asksForEvents, checkKinds, eventsOf, isStreaming, neverAborted, signalOf } from './kinds.ts';
import { createVerifySignature } from './operator-secrets.ts';
import { createPerform } from './perform.ts';

/** Maximum headers of a request; more is 400 (docs/design/quality.md T33). */
const maximumHeaders = 128;

/** State of a request while it's served. Ends up in the log line and the metrics. */
interface Service {
  readonly requestId: string;
  readonly startedAt: number;
  extra: ExtraHeaders | null;
  /** Holds a place of its class and one of its tenant. */
  admitted: boolean;
  /** The credential as the request sent it. */
  readonly caller: string;
  admittedAs: string | null;
  /** Returns the place of an event stream; null when the request holds none. */
  leaveStream: (() => void) | null;
  tenantId: string | null;
  credentialId: string | null;
}

/** The parts of an operation that shape its failures. */
type FailureFacts = Pick<Operation, 'decides' | 'errorFormat'> & {
  /** The error word the login page shows a browser; null: the caller gets the error itself. */
  readonly page?: string | null;
};

export interface Binder {
  /** Compiles the schemas of decisions before the port opens. */
  prepare(): void;
  /** Compiles the schemas that no request has needed yet, without blocking. */
  warmUp(): void;
  /**
   * Serves one operation: checks in the order of docs/design/api-access.md 3, then handler, answer, log and metrics.
   */
  bind(operation: Operation, handler: AnyHandler): (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
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
  readonly connections: Connections;
  readonly cors: Cors;
  readonly shedder: LoadShedder;
  /** Monotonic ms at which requests arrived that had to wait at the gate. */
  readonly arrivals: WeakMap<IncomingMessage, number>;
}

export function createBinder(
  deps: AppDependencies,
  { metrics, connections, cors, shedder, arrivals }: BinderParts,
): Binder {
  const identifyFor = createIdentify(deps, metrics);
  const store = deps.rateLimitStore ?? createRateLimitStore(deps.database);
  const streamPlaces = createStreamPlaces();
  const checks = createChecks();
  const pages = createPages(deps.config.publicUrl);
  const { logger } = deps;

  function begin(request: FastifyRequest): Service {
    return {
      requestId: requestIdOf(request.raw),
      startedAt: arrivals.get(request.raw) ?? performance.now(),
      extra: cors.headersFor(request),
      admitted: false,
      caller: callerOf(request.raw),
      admittedAs: null,
      leaveStream: null,
      tenantId: null,
      credentialId: null,
    };
  }

  function send(reply: FastifyReply, answer: WholeAnswer, service: Service): void {
    sendAnswer(reply, answer, service);
    connections.sent(reply.raw);
  }

  /** Created once per route. Counts an answer and writes its log line. */
  function createFinish(method: string, route: string): (service: Service, status: number) => void {
    const count = metrics.routeCounter(method, route);
    const log = logger.child({ method, route });
    return ({ requestId, startedAt, tenantId, credentialId }, status) => {
      const elapsedMs = performance.now() - startedAt;
      count(status, elapsedMs / 1000);
      if (!log.isLevelEnabled('info')) return;
      const ms = Math.round(elapsedMs * 100) / 100;
      // Log only allowlisted fields: the route's pattern, never the URL, which contains customer ids (T36).
      log.info({ requestId, status, ms, tenantId, credentialId }, 'request');
    };
  }

  function fail(
    thrown: unknown,
    { requestId }: Service,
    route: string,
    { decides = false, errorFormat = 'problem', page = null }: FailureFacts,
  ): WholeAnswer {
    const error = toAppError(thrown);
    const recommendationId = decides ? attemptId(requestId) : null;
    if (error.status >= 500 && error.code !== 'overloaded' && error.code !== 'not_fresh') {
      const named = recommendationId === null ? {} : { recommendationId };
      const facts = { requestId, ...named, route, code: error.code, err: error.cause ?? error };
      if (error.code === 'internal') logger.error(facts, 'request failed');
      else logger.warn(facts, 'request failed');
    }
    if (page !== null) return { status: 302, headers: { location: pages.login({ error: page }) }, body: null };
    return errorAnswer(error, requestId, errorFormat, recommendationId);
  }

  function bind(operation: Operation, handler: AnyHandler) {
    checkKinds(operation);
    const { auth, failurePage } = operation;
    const identify = identifyFor(operation);
    const verify = isSignature(auth) ? createVerifySignature(operation, auth, deps.config.secrets) : null;
    const streams = isStreaming(operation);
    const events = eventsOf(operation);
    const isEarly = operation.loadClass === 'decision';
    const input = createInputReader(operation, (schema, place) => checks.compile(schema, place, isEarly));
    const findUnknown = createFindUnknown(operation);
    const inspect = createInspect(operation, deps.checkResponses === true ? checks.compile : null);
    const perform = createPerform(operation, handler, deps.database, inspect);
    const allLimits = limitsOf(operation, deps.config);
    const foundLimits = allLimits.filter(({ countsFound }) => countsFound === true);
    const limits = allLimits.filter(({ countsValid, countsFound }) => countsValid !== true && countsFound !== true);
    const lateLimits = allLimits.filter(({ countsValid }) => countsValid === true);
    const { bodyLimit, form } = input;
    const { fileTypes = [] } = operation;
    const isFile = (raw: IncomingMessage): boolean =>
      fileTypes.length > 0 && fileTypes.includes(mediaTypeOf(raw) ?? '');
    const isOpen = !namesTenant(auth);
    const { loadClass, path: route } = operation;
    const finish = createFinish(operation.method, route);
    const shed = metrics.shedCounter(loadClass);

    function limit(
      request: FastifyRequest,
      caller: Caller,
      service: Service,
      counted: readonly RateLimit[] = limits,
    ): Promise<void> {
      const announce = (headers: ExtraHeaders) => addHeaders(service, headers);
      return takeLimits(operation, counted, { ...caller, ip: request.ip }, store, metrics, announce);
    }

    /** Reads the input. A strict caller sees unknown names before other problems. */
    function readInput(
      request: FastifyRequest,
      parsed: unknown,
      bytes: Buffer | null,
      isStrict: boolean,
      unknown: readonly Remark[] | null,
    ): Input {
      try {
        return input.read(request, parsed, bytes?.length ?? 0);
      } catch (error) {
        if (isStrict && unknown !== null && error instanceof AppError) throw refusalOf(unknown);
        throw error;
      }
    }

    async function answer(request: FastifyRequest, reply: FastifyReply, service: Service): Promise<Answer> {
      const { raw } = request;
      shedder.enter(loadClass, service.caller);
      service.admitted = true;
      if (raw.rawHeaders.length > 2 * maximumHeaders) {
        throw new AppError('malformed_request', { detail: `A request can have at most ${maximumHeaders} headers.` });
      }
      if (isOpen && limits.length > 0) await limit(request, anonymous, service);
      const identified = identify(request);
      const caller = identified instanceof Promise ? await identified : identified;
      const { tenantId, credentialId } = caller;
      if (!isOpen) {
        service.tenantId = tenantId;
        service.credentialId = credentialId;
        if (caller.setCookie !== undefined) addHeaders(service, { 'set-cookie': caller.setCookie });
        if (limits.length > 0) await limit(request, caller, service);
        shedder.enterTenant(loadClass, tenantId);
        service.admittedAs = tenantId;
      }
      const spentMs = performance.now() - service.startedAt;
      let bytes: Buffer | null = null;
      let parsed: unknown;
      if (bodyLimit !== null && operation.bodyKind === 'multipart') {
        refuseBody(raw, bodyLimit, form);
        parsed = readParts(raw, bodyLimit);
      } else if (bodyLimit !== null && operation.bodyKind === 'stream') {
        refuseBody(raw, bodyLimit, form);
        parsed = readStream(raw, bodyLimit);
      } else if (bodyLimit !== null && isFile(raw)) {
        const limit = operation.fileLimit ?? bodyLimit;
        refuseLength(raw, limit);
        parsed = new FileBody(mediaTypeOf(raw) ?? '', readStream(raw, limit));
      } else if (bodyLimit !== null) {
        // A caller with an unsigned body gets no hint about its type.
        if (verify === null) refuseBody(raw, bodyLimit, form);
        else refuseLength(raw, bodyLimit);
        // takeBody needs one turn of the microtask queue.
        await undefined;
        const taken = takeBody(raw, bodyLimit);
        bytes = taken instanceof Promise ? await taken : taken;
        if (verify !== null) {
          try {
            verify(raw, bytes);
          } catch (error) {
            metrics.authFailed('signature');
            throw error;
          }
          refuseBody(raw, bodyLimit, form);
        }
      }
      // The time to send the body is up to the caller; all other time since arrival counts. The handler reads a
      // streamed body itself, within the transport's limit for a request.
      const isReadLater =
        operation.bodyKind === 'multipart' || operation.bodyKind === 'stream' || parsed instanceof FileBody;
      const bodyMs = isReadLater ? transport.requestTimeoutMs : 0;
      const until = performance.now() + (deps.answerWithinMs ?? answerWithinMs) + bodyMs - spentMs;
      if (bytes !== null) {
        parsed = form.parse(bytes, raw);
        if (parsed instanceof Promise) parsed = await parsed;
      }
      const isStrict = prefersStrict(raw.headers.prefer);
      if (isStrict) addHeaders(service, strictApplied);
      const unknown = findUnknown(raw.url ?? '', parsed instanceof FileBody ? undefined : parsed);
      if (unknown !== null) {
        if (operation.knowsItsQuery === true && unknown.some(({ path }) => path.startsWith('query.')))
          throw refusalOf(unknown);
        if (!isStrict) addHeaders(service, { [unknownProperties]: remarksText(unknown) });
        // In a transaction, which is rolled back, run the service too for its remarks: `perform` then rejects with
        // both.
        else if (operation.transaction !== 'tenant') throw refusalOf(unknown);
      }
      const { params, query, headers, body, idempotencyKey } = readInput(request, parsed, bytes, isStrict, unknown);
      if (lateLimits.length > 0) await limit(request, caller, service, lateLimits);
      const wantsEvents = events === 'always' || (events === 'asked' && asksForEvents(raw.headers.accept));
      if (wantsEvents) service.leaveStream = streamPlaces.take(tenantId);
      return await perform({
        requestId: service.requestId,
        tenantId,
        actor: caller.actor,
        role: caller.role,
        credentialId,
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
        wantsEvents,
        countCall: () => limit(request, caller, service, foundLimits),
        wantsPage: failurePage !== undefined && asksForHtml(raw.headers.accept ?? ''),
        signal: streams || operation.stopsWithCaller === true ? signalOf(reply, deps.lifecycle) : neverAborted,
      });
    }

    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const service = begin(request);
      let outcome: Answer;
      let isShed = false;
      try {
        outcome = await answer(request, reply, service);
      } catch (thrown) {
        isShed = thrown instanceof AppError && thrown.code === 'overloaded';
        if (isShed) shed();
        const page = failurePage !== undefined && asksForHtml(request.raw.headers.accept ?? '') ? failurePage : null;
        outcome = fail(thrown, service, route, { ...operation, page });
      }
      if (service.admittedAs !== null) shedder.leaveTenant(loadClass, service.admittedAs);
      if (service.admitted) shedder.leave(loadClass, service.caller);
      // Only an answer that's being sent keeps its place.
      if (isWhole(outcome)) service.leaveStream?.();
      // Wait without holding a place, as at the gate: a client that retries right after a refusal must not be served
      // faster for it.
      const holdMs = isShed ? service.startedAt + usualHoldMs - performance.now() : 0;
      if (holdMs > 0) await sleep(holdMs);
      // Shutdown may have begun while this call ran, and a connection left open would delay it.
      if (deps.lifecycle.closesConnection()) addHeaders(service, closing);
      try {
        if (!isWhole(outcome)) {
          await sendChunks(reply, outcome, service);
          connections.sent(reply.raw);
        } else if (outcome.status === 413 || (streams && isUnread(request.raw))) sendAndLinger(reply, outcome, service);
        else send(reply, outcome, service);
      } catch (thrown) {
        // A header can't be written. The work is committed, but the caller must not hang.
        const failed = fail(thrown, service, route, operation);
        outcome = failed;
        if (reply.raw.headersSent) reply.raw.destroy();
        else send(reply, failed, service);
      } finally {
        service.leaveStream?.();
      }
      finish(service, outcome.status);
    };
  }

  const finishUnmatched = createFinish(unmatched, unmatched);

  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    error: AppError,
    format?: ErrorFormat,
    allow?: string,
  ): void {
    const service = begin(request);
    if (deps.lifecycle.closesConnection()) addHeaders(service, closing);
    if (allow !== undefined) addHeaders(service, { allow });
    send(reply, fail(error, service, unmatched, format === undefined ? {} : { errorFormat: format }), service);
    finishUnmatched(service, error.status);
  }

  /** Answers requests that need no operation: a preflight, a file. */
  function answerOutside(request: FastifyRequest, reply: FastifyReply, answer: WholeAnswer): void {
    const service = begin(request);
    if (deps.lifecycle.closesConnection()) addHeaders(service, closing);
    send(reply, answer, service);
  }

  return {
    prepare: () => checks.prepare(),
    warmUp: () => checks.warmUp(),
    bind,
    refuse: (request, reply, error) => refuse(request, reply, error),
    sendFile: answerOutside,
    answerUnmatched(request, reply, { methods, format }) {
      if (methods === null) {
        return refuse(request, reply, new AppError('not_found', { detail: 'This path does not exist.' }), format);
      }
      const preflight = cors.preflight(request, methods);
      if (preflight !== null) return answerOutside(request, reply, preflight);
      const detail = `This path supports ${methods.join(', ')} only.`;
      refuse(request, reply, new AppError('method_not_allowed', { detail }), format, methods.join(', '));
    },
  };
}

/** Returns true while part of the body is unread. A request without a socket never reports whether it's complete. */
const isUnread = (request: IncomingMessage): boolean => request.complete === false;

const closing: ExtraHeaders = { connection: 'close' };

function addHeaders(service: Service, headers: ExtraHeaders): void {
  service.extra = service.extra === null ? { ...headers } : { ...service.extra, ...headers };
}

/** Label of requests that matched no operation. Their paths must not create new series. */
const unmatched = 'unmatched';
