import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@arbiter/contract';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { type Database, systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { startTestPooler, type TestPooler } from '../db/test-pooler.ts';
import { createCustomerKeys } from '../features/deciding/customer-states/index.ts';
import { createApiKey, type Pepper } from '../features/identity/credentials/index.ts';
import { createTenant } from '../features/identity/tenants/index.ts';
import { createLoadShedder, defaultLimits } from '../http/limits/load-shedding.ts';
import { keyOf } from '../platform/crypto/crypto.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { type Clock, systemClock } from '../platform/time/clock.ts';
import { composeServer, type Server } from './compose.ts';
import type { ComposeConfig, ComposeOptions, TestOperations } from './compose-options.ts';
import { onTenantCreated } from './feature-parts.ts';
import { masterKeysOf } from './secrets.ts';

/** Stands in for the page of proof files, which the console's build makes. */
const proofStandIn = '<!doctype html><script type="application/json" id="proof"></script>';

/** A tenant of the test server with a key for each role. */
export interface TestTenant {
  readonly id: string;
  readonly name: string;
  readonly keys: Readonly<Record<Role, string>>;
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** API key; default: the first tenant's admin, or none on an existing database. Null sends none. */
  readonly key?: string | null;
  /** Added to, and overriding, the default credential, X-Requested-With and Content-Type. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallResult<Body> {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: LightMyRequestResponse['headers'];
}

/** The real server over a database of its own, without a port. */
export interface TestServer extends Server {
  readonly testDatabase: TestDatabase;
  readonly tenants: readonly [TestTenant, ...TestTenant[]];
  /** Creates another tenant like those in `tenants`. */
  createTenant(): Promise<TestTenant>;
  /** Lines of the log so far, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** Does a worker's job for waiting registrations and link requests. `call` runs it after each call of /auth. */
  answerAccountRequests(): Promise<void>;
  /** Calls an operation. The body's type is what the test expects; nothing checks it. */
  call<Body = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<CallResult<Body>>;
  /** Creates a record, `offers` for example, as the first tenant's admin. Returns its id. Fails unless the answer is 201. */
  create(resource: string, body: object): Promise<string>;
  /** Like `create`, but returns the record. */
  createRecord<R = Record<string, string>>(resource: string, body: object): Promise<R & { readonly id: string }>;
  /** Publishes the draft of a decision flow. Fails unless the answer is 200. */
  publishFlow(id: string | undefined): Promise<void>;
}

/** Another server over the database of a test. */
export type TestNode = Omit<TestServer, 'tenants' | 'createTenant' | 'create' | 'createRecord' | 'publishFlow'>;

export interface TestServerOptions {
  /** Number of tenants to create. Default 1. */
  readonly tenants?: number;
  /** Workers of the cluster to decide on directly, `host:port`. */
  readonly workers?: readonly string[];
  /** An existing database. Default: a copy of the template. */
  readonly testDatabase?: TestDatabase;
  readonly clock?: Clock;
  readonly config?: Partial<ComposeConfig>;
  /** Delay answers that must not reveal by their timing who exists, like the real server. Default: no delay. */
  readonly evenAnswers?: boolean;
  /** See `ComposeOptions.analysisMs`. */
  readonly analysisMs?: number;
  /** NEXTAUTH_URL; default `http://localhost:3000`. */
  readonly publicUrl?: string;
  /** Folder of the built console. Default: none is built. */
  readonly consoleFolder?: string;
  /** Limits of requests, for tests of what happens beyond them. Default: so long that a busy machine does not matter. */
  readonly patience?: NonNullable<ComposeOptions['patience']>;
  /** Hold each answer against its schema; default true. */
  readonly checkResponses?: boolean;
  /** Opens the sources of pipelines. */
  readonly openReader?: ComposeOptions['openReader'];
  /** The test's operations, alongside the real ones. */
  readonly testOperations?: TestOperations;
  /** Run behind a pooler in transaction mode with this many sessions. See `poolerMissing`. */
  readonly poolerSessions?: number;
}

const scopesOf = { viewer: ['read'], editor: ['read', 'write'], admin: ['read', 'write', 'admin', 'scim'] } as const;

/** DATA_ENCRYPTION_KEY of test servers, for a real server on the same database. */
export const testDataKey = Buffer.alloc(32, 7).toString('base64');

const testConfig: ComposeConfig = {
  APPROVAL_MAX_AGE_HOURS: 168,
  CRON_SECRET: null,
  CRON_TOKEN: null,
  EXPORT_DIR: null,
  IMPORT_DIR: null,
  LLM_PROVIDER: 'template',
  LLM_BASE_URL: null,
  LLM_API_KEY: null,
  LLM_MODEL: null,
  CONNECTOR_ENDPOINTS: {},
  CONNECTOR_ROLES: {},
  AWS_ACCESS_KEY_ID: null,
  AWS_REGION: null,
  AWS_SECRET_ACCESS_KEY: null,
  AWS_SESSION_TOKEN: null,
  DATA_DIR: './data',
  MAIL_FROM: { name: '', address: 'arbiter@localhost' },
  MAIL_OUTBOX_DIR: join(tmpdir(), 'arbiter-test-outbox'),
  SES_FROM_EMAIL: null,
  SMTP_URL: null,
  API_KEY_PEPPER: 'a pepper of the tests, 32 characters',
  JWT_SIGNING_SECRET: 'a signing secret of the tests',
  NEXTAUTH_SECRET: 'a session secret of the tests',
  EXPORT_S3_URL: null,
  ARCHIVE_URL: null,
  ARCHIVE_AFTER_DAYS: 90,
  REDIS_URL: null,
  DATA_ENCRYPTION_KEY: testDataKey,
  DATA_ENCRYPTION_KEYS_OLD: [],
  DATABASE_POOL_MAX: 10,
  DEMO_MODE: false,
  METRICS_TENANT_LABEL: false,
  METRICS_TOKEN: null,
  PLAYGROUND_MODE: false,
  REGISTRATION: true,
  OUTBOUND_ALLOW_CIDRS: [],
  OUTBOUND_HTTP_OK: false,
  SSO_REDIRECT_ALLOWLIST: [],
  STUDY_THREADS: 1,
  GOOGLE_CLIENT_ID: null,
  GOOGLE_CLIENT_SECRET: null,
  GOOGLE_ISSUER_URL: 'https://accounts.google.com',
  TRUSTED_PROXIES: [],
  CORS_ALLOWED_ORIGINS: [],
  RATE_LIMIT_DEFAULT_PER_MINUTE: 0,
  RECOMMEND_RATE_PER_MINUTE: 0,
  MAIL_RATE_PER_MINUTE: 0,
  SENDGRID_WEBHOOK_PUBLIC_KEY: null,
  SNS_TOPIC_ARNS: [],
  WEBHOOK_SIGNING_SECRET: null,
  WHATSAPP_APP_SECRET: null,
  WHATSAPP_WEBHOOK_VERIFY_TOKEN: null,
};

/** Dependencies for loading a pack in tests. */
export const testLoadPorts = { keys: createCustomerKeys(masterKeysOf(testConfig)) };

/**
 * Composes every feature as `serve` does, over a copy of the template database and as the restricted role. Answers that
 * break the contract become 500. Close it in `after`.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const pooler = options.poolerSessions === undefined ? null : await poolerOf(testDatabase, options.poolerSessions);
  const server = await startOrClose(testDatabase, options, pooler);
  try {
    const pepper = keyOf({ ...testConfig, ...options.config }.API_KEY_PEPPER);
    const count = Math.max(1, options.tenants ?? 1);
    let created = 0;
    const createTenant = () => makeTenant(server.database, pepper, ++created);
    const first = await createTenant();
    const others: TestTenant[] = [];
    // Sequentially: with a hundred at once, each would wait for ninety others.
    while (created < count) others.push(await createTenant());
    const call: TestServer['call'] = (method, path, options = {}) =>
      server.call(method, path, { key: first.keys.admin, ...options });
    return { ...server, tenants: [first, ...others], createTenant, call, ...recordCalls(call) };
  } catch (error) {
    // Its connections and timers would keep the test file alive until the runner's timeout.
    await server.close();
    throw error;
  }
}

/** Closes the database of a server that can't start: its connections would keep the test file alive, too. */
async function startOrClose(
  testDatabase: TestDatabase,
  options: TestServerOptions,
  pooler: TestPooler | null,
): Promise<TestNode> {
  try {
    return startServerOn(testDatabase, options, pooler);
  } catch (error) {
    await pooler?.stop();
    await testDatabase.close();
    throw error;
  }
}

/** Calls that set up a test, and fail it unless they succeed. */
function recordCalls(call: TestServer['call']): Pick<TestServer, 'create' | 'createRecord' | 'publishFlow'> {
  async function createRecord<R>(resource: string, body: object): Promise<R & { id: string }> {
    const created = await call<R & { id: string }>('POST', `/api/v1/${resource}`, { body });
    assert.equal(created.status, 201, `${resource}: ${created.text}`);
    return created.body;
  }
  return {
    createRecord,
    create: async (resource, body) => (await createRecord(resource, body)).id,
    async publishFlow(id) {
      const published = await call('POST', '/api/v1/decision-flows/publish', { body: { id } });
      assert.equal(published.status, 200, published.text);
    },
  };
}

/** Starts the server over an existing database, whose tenants the test knows. Drops the database when it closes. */
export function startServerOn(
  testDatabase: TestDatabase,
  options: Omit<TestServerOptions, 'tenants' | 'poolerSessions' | 'testDatabase'>,
  pooler: TestPooler | null = null,
): TestNode {
  const log: Record<string, unknown>[] = [];
  const exportsOfTest = join(tmpdir(), `arbiter-exports-${newId()}`);
  const config = { ...testConfig, EXPORT_DIR: exportsOfTest, ...options.config };
  const server = composeServer({
    config,
    address: {
      url: pooler?.urlOf(testDatabase.url) ?? testDatabase.url,
      directUrl: testDatabase.url,
      pooled: pooler !== null,
      isCluster: testDatabase.isCluster,
      workers: options.workers ?? [],
    },
    publicUrl: 'http://localhost:3000',
    clock: options.clock ?? systemClock,
    logger: createLogger('info', { write: (line) => log.push(JSON.parse(line)) }),
    version: 'test',
    ...(options.consoleFolder === undefined
      ? { consoleFolder: '/nowhere', proofTemplate: async () => proofStandIn }
      : { consoleFolder: options.consoleFolder }),
    checkResponses: options.checkResponses ?? true,
    ...(options.evenAnswers === true ? {} : { evenAnswersMs: 0 }),
    ...(options.analysisMs === undefined ? {} : { analysisMs: options.analysisMs }),
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.openReader === undefined ? {} : { openReader: options.openReader }),
    ...(options.testOperations === undefined ? {} : { testOperations: options.testOperations }),
    // A busy machine, and a test that calls hundreds of times at once, are no reason to refuse.
    loadShedder: createLoadShedder(() => 0, {
      ...defaultLimits,
      decision: { ...defaultLimits.decision, own: 512, perTenant: 480 },
    }),
    // Several test files share the machine. test/faults measures what a server does in time.
    patience: options.patience ?? { acquireTimeoutMs: 20_000, statementTimeoutMs: 30_000, answerWithinMs: 30_000 },
  });
  const answerAccountRequests = accountRequestAnswers(testDatabase, server.jobs);
  return {
    ...server,
    testDatabase,
    log,
    answerAccountRequests,
    async call<Body>(method: string, path: string, call?: CallOptions) {
      const answer = await callApp<Body>(server.app, method, path, call);
      if (path.startsWith('/api/v1/auth/')) await answerAccountRequests();
      return answer;
    },
    async close() {
      await server.close();
      await pooler?.stop();
      await testDatabase.close();
      await rm(exportsOfTest, { recursive: true, force: true });
    },
  };
}

/** Does a worker's job right after the call, so that tests find emails and accounts. Answers each request once. */
function accountRequestAnswers(database: TestDatabase, jobs: Server['jobs']): () => Promise<void> {
  const answered = new Map<string, Promise<void> | undefined>();
  const { signal } = new AbortController();
  return async () => {
    const waiting = await database.ownerQuery<{ place: string; requestId: string }>(
      'select tenant_id as place, id as "requestId" from arbiter.account_requests',
    );
    for (const payload of waiting) {
      if (answered.has(payload.requestId)) continue;
      const run = jobs
        .get('accounts.answer-request')
        ?.run(payload, { jobId: '0', attempt: 1, dueAt: null, signal }, null);
      answered.set(payload.requestId, run);
    }
    await Promise.all(answered.values());
  };
}

const poolerOf = (database: TestDatabase, sessions: number): Promise<TestPooler> =>
  startTestPooler({ clusterUrl: database.adminUrl, mode: 'transaction', sessions });

/** A tenant as the bootstrap file makes one, with a key for each role. */
async function makeTenant(database: Database, pepper: Pepper, number: number): Promise<TestTenant> {
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
  method: string,
  path: string,
  { body, key = null, headers = {} }: CallOptions = {},
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
  const isJson = /json(;|$)/.test(String(response.headers['content-type'] ?? '').replace('x-ndjson', ''));
  return {
    status: response.statusCode,
    // An empty or other body has no JSON form; `text` has it as it came.
    body: (isJson && response.body !== '' ? response.json() : null) as Body,
    text: response.body,
    headers: response.headers,
  };
}
