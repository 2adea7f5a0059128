import { operations, type Role } from '@arbiter/contract';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Database } from '../db/index.ts';
import { createHotPath, systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { createApiKey, createAuthenticator } from '../features/credentials/index.ts';
import { createCustomerKeys, createDecisionMetrics, createDecisionService } from '../features/decisions/index.ts';
import { createTenant } from '../features/tenants/index.ts';
import { createApp } from '../http/app.ts';
import type { AppDependencies, HttpConfig } from '../http/app-dependencies.ts';
import { createLifecycle, type Lifecycle } from '../http/lifecycle.ts';
import { createRegistry } from '../http/metrics.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { keyOf } from '../platform/crypto.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { zoneClock } from '../platform/zones.ts';
import { buildHandlers, onTenantCreated } from './features.ts';

/** A tenant of the test server with a key for each role. */
export interface TestTenant {
  readonly id: string;
  readonly name: string;
  readonly keys: Readonly<Record<Role, string>>;
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** API key; default: the first tenant's admin. Null sends none. */
  readonly key?: string | null;
  /** Added to, and stronger than, what is sent by itself: credential, X-Requested-With, Content-Type. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallResult<Body> {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: LightMyRequestResponse['headers'];
}

/** The real server over a database of its own, without a port. */
export interface TestServer {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly testDatabase: TestDatabase;
  readonly tenants: readonly [TestTenant, ...TestTenant[]];
  readonly lifecycle: Lifecycle;
  /** Lines of the log so far, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** Calls an operation. The type of the body is what the test expects; nothing checks it. */
  call<Body = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<CallResult<Body>>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** How many tenants to make; default 1. */
  readonly tenants?: number;
  readonly clock?: Clock;
  readonly config?: Partial<HttpConfig>;
  readonly database?: Parameters<typeof createTestDatabase>[0];
  readonly loadShedder?: AppDependencies['loadShedder'];
  /** Hold each answer against its schema; default true. */
  readonly checkResponses?: boolean;
}

const scopesOf = { viewer: ['read'], editor: ['read', 'write'], admin: ['read', 'write', 'admin', 'scim'] } as const;
const pepper = keyOf('a pepper of the tests, 32 characters');

/**
 * Starts every feature as `main` does, over a copy of the template database and as the restricted role. Answers that
 * break the contract become 500. Close it in `after`.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const testDatabase = await createTestDatabase({ clock: options.clock ?? systemClock, ...options.database });
  const { database } = testDatabase;
  const clock = options.clock ?? systemClock;
  const log: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (line) => log.push(JSON.parse(line)) });
  const onError = (error: unknown) => logger.error({ err: error }, 'background work failed');
  const registry = createRegistry('test');
  const lifecycle = createLifecycle();
  const authenticator = createAuthenticator({ database, pepper, clock });
  const hot = createHotPath({ url: testDatabase.url, connections: 3, onError });
  const keys = createCustomerKeys([Buffer.alloc(32, 7)]);
  const metrics = createDecisionMetrics(registry);
  const anonymousKey = keyOf('a data encryption key of the tests');
  const service = createDecisionService({
    database,
    hot,
    keys,
    clock,
    zoneClock,
    metrics,
    anonymousKey,
    onError,
  });
  const handlers = buildHandlers({
    database,
    authenticate: authenticator.authenticate,
    pepper,
    decisions: { service, keys, metrics },
    isDemoMode: false,
  });
  const app = createApp({
    operations,
    handlers,
    database,
    authenticate: authenticator.authenticate,
    clock,
    logger,
    registry,
    lifecycle,
    version: 'test',
    checkResponses: options.checkResponses ?? true,
    ...(options.loadShedder === undefined ? {} : { loadShedder: options.loadShedder }),
    readyChecks: async () => ({
      database: 'ok',
      migrations: 'ok',
      role: 'ok',
      queueConsumer: 'off',
      scheduler: 'off',
    }),
    config: {
      metricsToken: null,
      trustedProxies: [],
      corsAllowedOrigins: [],
      rateLimitDefaultPerMinute: 0,
      recommendRatePerMinute: 0,
      publicUrl: 'http://localhost:3000',
      ...options.config,
    },
  });
  const count = Math.max(1, options.tenants ?? 1);
  const first = await makeTenant(database, 1);
  const others = await Promise.all(Array.from({ length: count - 1 }, (_, index) => makeTenant(database, index + 2)));

  return {
    app,
    database,
    testDatabase,
    tenants: [first, ...others],
    lifecycle,
    log,
    call: (method, path, call) => callApp(app, first, method, path, call),
    async close() {
      await app.close();
      await service.close();
      authenticator.close();
      await hot.close();
      await testDatabase.close();
    },
  };
}

/** A tenant as the bootstrap file makes one, with a key for each role. */
async function makeTenant(database: Database, number: number): Promise<TestTenant> {
  const id = newId();
  const name = `Tenant ${number}`;
  const keys = await database.withTenant(id, systemActor('test'), async (tx) => {
    await createTenant(tx, { name, isPlayground: false, bootstrapName: name }, onTenantCreated);
    const make = async (role: Role) =>
      (await createApiKey(tx, pepper, { name: `${role} key`, scopes: [...scopesOf[role]] })).key;
    return { admin: await make('admin'), editor: await make('editor'), viewer: await make('viewer') };
  });
  return { id, name, keys };
}

async function callApp<Body>(
  app: FastifyInstance,
  tenant: TestTenant,
  method: string,
  path: string,
  { body, key = tenant.keys.admin, headers = {} }: CallOptions = {},
): Promise<CallResult<Body>> {
  const response = await app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      'user-agent': 'arbiter-test',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(method === 'GET' ? {} : { 'x-requested-with': 'XMLHttpRequest' }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const isJson = String(response.headers['content-type'] ?? '').includes('json');
  return {
    status: response.statusCode,
    // An empty or other body has no JSON form; `text` has it as it came.
    body: (isJson && response.body !== '' ? response.json() : null) as Body,
    text: response.body,
    headers: response.headers,
  };
}
