import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Operation } from '@arbiter/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, type HTTPMethods } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import { createHttpServer } from '../platform/http-server.ts';
import { newId } from '../platform/ids.ts';
import { problemMediaType, problemOf } from './answers/problem.ts';
import { createRefusal, type RefusalDeps } from './answers/refusal.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { type Binder, createBinder } from './binding/binder.ts';
import { createCors } from './binding/cors.ts';
import type { ServeRequest } from './binding/serve-request.ts';
import { type ClientConnections, connectionLimits, createConnections, createUnusedEnd } from './connections.ts';
import type { AnyHandler } from './handler.ts';
import { createGate, type Gate } from './limits/gate.ts';
import type { GatedRoute } from './limits/gate-queues.ts';
import { createLoadShedder } from './limits/load-shedding.ts';
import { createHttpMetrics } from './metrics.ts';
import { createKnownPaths, type KnownPath, pathsOf, routerPath } from './paths.ts';
import { createSiteService, isForSite, type Site } from './site.ts';
import { systemHandlers } from './system.routes.ts';
import { transport } from './transport.ts';
import { createWithoutBase } from './web-paths.ts';

export type { AppDependencies } from './app-dependencies.ts';

/**
 * Creates the HTTP server of every operation. It doesn't listen; `main` starts and closes it. The binder makes every
 * check, transaction and answer in each route's `onRequest` hook: after that hook, Fastify would read and judge the
 * body before the credential is known (docs/design/api-access.md 3).
 */
export function createApp(deps: AppDependencies): FastifyInstance {
  const operations = [...Object.values(deps.operations), ...(deps.pages ?? [])];
  const metrics = createHttpMetrics(deps.registry);
  const handlers = new Map([...deps.handlers, ...systemHandlers(deps)]);
  const limits = { ...connectionLimits, ...deps.connectionLimits };
  const connections = createConnections(metrics.connectionCut, limits);
  const cors = createCors(deps.config.corsAllowedOrigins);
  const shedder = deps.loadShedder ?? createLoadShedder();
  const arrivals = new WeakMap<IncomingMessage, number>();
  const binder = createBinder(deps, { metrics, connections, cors, shedder, arrivals });
  const admit = createAdmit(binder, connections);
  const { lifecycle, logger, gateHoldMs: holdMs } = deps;
  const routes = gatedRoutes(operations, { metrics, connections, cors, lifecycle, logger });
  const { trustedProxies, publicUrl } = deps.config;

  const app = fastify({
    ...fastifyOptions,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    serverFactory: (serve) => createServer(createGate({ shedder, routes, serve, arrivals, holdMs }), publicUrl),
    clientErrorHandler(error: Error, socket: Duplex) {
      refuseConnection(error, socket, limits.writeDeadlineMs);
    },
    frameworkErrors(_error, request: FastifyRequest, reply: FastifyReply) {
      const unreadable = new AppError('malformed_request', { detail: "The path can't be decoded." });
      admit(request, reply, () => binder.refuse(request, reply, unreadable));
    },
  });
  app.server.maxConnections = transport.connections;
  // RFC 9110 section 10.1.1 allows ignoring an unknown `Expect` value; Node would answer 417 on its own.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  for (const operation of operations) {
    addRoutes(app, operation, binder.bind(operation, handlerOf(operation, handlers)), { binder, admit });
  }
  const knownPath = createKnownPaths(operations);
  const serveSite = deps.site === undefined ? null : createServeSite(deps.site, handlers, binder, knownPath);
  addHooks(app, binder, createUnusedEnd(app.server, limits.firstRequestMs));
  addUnmatched(app, { binder, admit, knownPath, serveSite });
  return app;
}

/** Serves a request when its turn on the connection comes. */
type Admit = (request: FastifyRequest, reply: FastifyReply, serve: () => void) => void;

/** Checks that apply to every request before its path means anything: its turn on the connection, and a Host. */
function createAdmit(binder: Binder, connections: ClientConnections): Admit {
  return (request, reply, serve) => {
    const { raw } = request;
    const admitted =
      raw.headers.host === undefined && raw.httpVersion === '1.1'
        ? () =>
            binder.refuse(request, reply, new AppError('malformed_request', { detail: 'The header Host is required.' }))
        : serve;
    // Node gives the socket to one response after another. The one that has it waits for no other.
    if (reply.raw.socket !== null) admitted();
    else connections.enterBehind(reply.raw, admitted);
  };
}

function createServer(gate: Gate, publicUrl: string): Server {
  const withoutBase = createWithoutBase(publicUrl);
  const server = createHttpServer(serverOptions, (request, response) => {
    if (withoutBase !== null) request.url = withoutBase(request.url ?? '/');
    gate.enter(request, response);
  });
  server.keepAliveTimeout = transport.keepAliveTimeoutMs;
  // Requests and answers have their own limits.
  server.setTimeout(0);
  return server;
}

function handlerOf({ id }: Operation, handlers: ReadonlyMap<string, AnyHandler>): AnyHandler {
  const handler = handlers.get(id);
  if (handler === undefined) throw new Error(`operation ${id} has no handler`);
  return handler;
}

/** Adds a route for each path of the operation. */
function addRoutes(
  app: FastifyInstance,
  operation: Operation,
  serve: ServeRequest,
  { binder, admit }: { readonly binder: Binder; readonly admit: Admit },
): void {
  const method: HTTPMethods | HTTPMethods[] =
    operation.method === 'GET' && operation.head !== false ? ['GET', 'HEAD'] : operation.method;
  for (const path of pathsOf(operation)) {
    const hasParameters = path.includes('{');
    app.route({
      method,
      url: routerPath(path),
      // Never calls `done`, because the answer is sent from here.
      onRequest: (request, reply, _done) => {
        admit(request, reply, () => {
          // The router matches `/offers/` as `/offers/{id}` with an empty id. We treat that path as unknown.
          if (hasParameters && Object.values(request.params as object).includes('')) {
            binder.answerUnmatched(request, reply, { methods: null, format: operation.errorFormat ?? 'problem' });
          } else void serve(request, reply);
        });
      },
      handler: unreachable,
    });
  }
}

type KnownPathOf = (url: string) => KnownPath;
type ServeSite = (request: FastifyRequest, reply: FastifyReply) => void;

function createServeSite(
  site: Site,
  handlers: ReadonlyMap<string, AnyHandler>,
  binder: Binder,
  knownPath: KnownPathOf,
): ServeSite {
  return createSiteService({
    site,
    servePage: binder.bind(site.page, handlerOf(site.page, handlers)),
    sendFile: binder.sendFile,
    refuse: (request, reply) => binder.answerUnmatched(request, reply, knownPath(request.raw.url ?? '')),
    onError: (error, request, reply) => binder.refuse(request, reply, new AppError('internal', { cause: error })),
  });
}

function addHooks(app: FastifyInstance, binder: Binder, endUnused: () => void): void {
  app.addHook('preClose', (done) => {
    endUnused();
    done();
  });
  app.addHook('onReady', (done) => {
    binder.prepare();
    done();
  });
}

interface UnmatchedParts {
  readonly binder: Binder;
  readonly admit: Admit;
  readonly knownPath: KnownPathOf;
  readonly serveSite: ServeSite | null;
}

/** Answers requests that match no operation: from the site, or with an error. */
function addUnmatched(app: FastifyInstance, { binder, admit, knownPath, serveSite }: UnmatchedParts): void {
  app.setNotFoundHandler({}, unreachable);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    admit(request, reply, () => {
      const known = knownPath(request.raw.url ?? '');
      if (serveSite !== null && known.methods === null && isForSite(request.raw)) serveSite(request, reply);
      else binder.answerUnmatched(request, reply, known);
    });
  });
}

const noQuery: Record<string, string> = Object.freeze({});

const fastifyOptions = {
  logger: false,
  genReqId: () => '',
  exposeHeadRoutes: false,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  requestTimeout: transport.requestTimeoutMs,
  keepAliveTimeout: transport.keepAliveTimeoutMs,
  routerOptions: {
    caseSensitive: true,
    // The header limit bounds the longest path, and the schemas bound the values.
    maxParamLength: transport.headerBytes,
    // The binder parses queries itself, by each operation's rules.
    querystringParser: () => noQuery,
  },
} as const;

const serverOptions = {
  maxHeaderSize: transport.headerBytes,
  headersTimeout: transport.headersTimeoutMs,
  requestTimeout: transport.requestTimeoutMs,
  connectionsCheckingInterval: 2_000,
  // Node would answer on its own, without the headers that every answer has. `admit` does it instead.
  requireHostHeader: false,
} as const;

/** Returns routes without parameters. Paths with parameters need the router, so the binder judges those requests. */
function gatedRoutes(operations: readonly Operation[], deps: RefusalDeps): ReadonlyMap<string, GatedRoute> {
  const routes = new Map<string, GatedRoute>();
  for (const operation of operations) {
    const route: GatedRoute = { loadClass: operation.loadClass, refuse: createRefusal(operation, deps) };
    for (const path of pathsOf(operation)) {
      if (!path.includes('{')) routes.set(`${operation.method} ${path}`, route);
    }
  }
  return routes;
}

async function unreachable(): Promise<never> {
  throw new Error('a request passed the binder');
}

/** Answers what the parser rejected before it became a request: ambiguous framing, headers too large or too slow. */
function refuseConnection(error: Error, socket: Duplex, deadlineMs: number): void {
  const code: unknown = Reflect.get(error, 'code');
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const problem = new AppError('malformed_request', {
    detail: parserDetails[String(code)] ?? "The request can't be read.",
  });
  const body = JSON.stringify(problemOf(problem, requestId));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${problemMediaType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  // The answer may be queued behind earlier ones that the client doesn't read.
  const late = setTimeout(() => socket.destroy(), deadlineMs).unref();
  socket.once('close', () => clearTimeout(late));
}

const parserDetails: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};
