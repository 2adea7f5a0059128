import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MetricsSummary, type Operation, operations, type ReadyChecks } from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import {
  createDatabase,
  createHotPath,
  type Database,
  type DatabaseAddress,
  databaseAnswers,
  type HotPath,
} from '../db/index.ts';
import { operationsOf } from '../feature.ts';
import { createCustomerKeys, createKeyedHash } from '../features/deciding/customer-states/index.ts';
import {
  createDecisionMetrics,
  createDecisionService,
  type DecisionService,
} from '../features/deciding/decisions/index.ts';
import { learnSoon } from '../features/deciding/model-learning/index.ts';
import { type Authenticator, createAccessTokens, createAuthenticator } from '../features/identity/credentials/index.ts';
import { areSameSubject } from '../features/identity/identities/index.ts';
import { mailQueue } from '../features/identity/mail/index.ts';
import { createMfaTokens, furtherStep } from '../features/identity/second-factor/index.ts';
import { createLinks, createSessions, type Links, type Sessions } from '../features/identity/sessions/index.ts';
import { pageOperations } from '../features/identity/sign-in-pages/index.ts';
import { readSessionHolder } from '../features/identity/users/index.ts';
import { expireApprovals } from '../features/operations/approvals/index.ts';
import { createConsoleSite, createDist } from '../features/operations/console/index.ts';
import { createMailCounter, createNotifier } from '../features/operations/notifications/index.ts';
import { templateNarrativeWriter } from '../features/operations/report-rendering/index.ts';
import { createOutboxReaper, type ReapOutbox } from '../features/operations/stream/index.ts';
import { createApp } from '../http/app.ts';
import { createKeyedWork } from '../http/binding/keyed-work.ts';
import type { OperatorSecrets } from '../http/binding/operator-secrets.ts';
import type { AnyHandler } from '../http/handler.ts';
import { createLifecycle, type Lifecycle } from '../http/lifecycle.ts';
import type { LoadShedder } from '../http/limits/load-shedding.ts';
import { createRedisRateLimitStore } from '../http/limits/rate-limit.redis.ts';
import { createRateLimitStore } from '../http/limits/rate-limit.ts';
import { createRegistry } from '../http/metrics.ts';
import type { Authenticate } from '../http/principal.ts';
import type { JobRegistry } from '../jobs/index.ts';
import { createEnvelope, keyOf } from '../platform/crypto/crypto.ts';
import { createPasswords, type Passwords } from '../platform/crypto/passwords.ts';
import type { Logger } from '../platform/logger.ts';
import { createOidcClient } from '../platform/oidc.ts';
import { createOutbound } from '../platform/outbound/outbound.ts';
import { createOutboundRules } from '../platform/outbound/outbound-rules.ts';
import { createPrivateFolder } from '../platform/private-folder.ts';
import { connectRedis } from '../platform/redis.ts';
import type { Clock } from '../platform/time/clock.ts';
import { zoneClock } from '../platform/time/zones.ts';
import { allResets, features, onTenantCreated } from './features.ts';
import { googleProvider } from './google.ts';
import { jobRegistry } from './jobs.ts';
import { type MailConfig, mailWay } from './mail.ts';
import { createCacheMetrics, createNotificationMetrics, createWriteMetrics } from './metrics.ts';
import { type Metrics, metricsText } from './node-metrics.ts';
import { featurePorts } from './ports.ts';
import { masterKeysOf } from './secrets.ts';
import { metricsOfProcess, shownMetrics, summaryOf } from './tenant-metrics.ts';
import { createReportThread } from './threads/report-threads.ts';
import { createSearchThreads } from './threads/why-not-threads.ts';
import { createYamlThread } from './threads/yaml-threads.ts';

/** The part of the configuration that the composition reads. */
export type ComposeConfig = Pick<
  Config,
  | 'API_KEY_PEPPER'
  | 'APPROVAL_MAX_AGE_HOURS'
  | 'CRON_SECRET'
  | 'CRON_TOKEN'
  | 'DATA_DIR'
  | 'EXPORT_DIR'
  | 'JWT_SIGNING_SECRET'
  | 'NEXTAUTH_SECRET'
  | 'REDIS_URL'
  | 'DATA_ENCRYPTION_KEY'
  | 'DATA_ENCRYPTION_KEYS_OLD'
  | 'OUTBOUND_ALLOW_CIDRS'
  | 'OUTBOUND_HTTP_OK'
  | 'SSO_REDIRECT_ALLOWLIST'
  | 'REGISTRATION'
  | 'PLAYGROUND_MODE'
  | 'GOOGLE_CLIENT_ID'
  | 'GOOGLE_CLIENT_SECRET'
  | 'GOOGLE_ISSUER_URL'
  | 'DATABASE_POOL_MAX'
  | 'DEMO_MODE'
  | 'MAIL_RATE_PER_MINUTE'
  | 'METRICS_TENANT_LABEL'
  | 'METRICS_TOKEN'
  | 'PLAYGROUND_MODE'
  | 'REGISTRATION'
  | 'TRUSTED_PROXIES'
  | 'CORS_ALLOWED_ORIGINS'
  | 'RATE_LIMIT_DEFAULT_PER_MINUTE'
  | 'RECOMMEND_RATE_PER_MINUTE'
> &
  MailConfig;

/** A test's operations, served alongside the real ones. */
export interface OperationsBeside {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: readonly [string, AnyHandler][];
  readonly secrets: OperatorSecrets;
  /** Authenticates what the real server can't yet. */
  readonly authenticate: (real: Authenticate) => Authenticate;
}

export interface ComposeOptions {
  readonly config: ComposeConfig;
  /** For the application role. */
  readonly address: DatabaseAddress;
  /** The text of /metrics. Default: this process's metrics. */
  readonly metricsText?: () => Promise<string>;
  /** The answer of /metrics/summary. Default: this process's counts. */
  readonly metricsSummary?: (tenantId: string) => Promise<MetricsSummary>;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly readyChecks?: (database: Database) => Promise<ReadyChecks>;
  /** Folder of the built console. Default: packages/console/dist of this checkout. */
  readonly consoleFolder?: string;
  /** Tests: each success answer must match its schema. */
  readonly checkResponses?: boolean;
  readonly beside?: OperationsBeside;
  /** Tests: on a busy machine the event loop is late without the server having too much work. */
  readonly loadShedder?: LoadShedder;
  /**
   * For tests: the minimum time of answers that must not reveal by their timing who exists. Default `evenAnswersMs`.
   */
  readonly evenAnswersMs?: number;
  /** For tests: on a busy machine everything takes longer without anything hanging. */
  readonly patience?: {
    readonly acquireTimeoutMs: number;
    readonly statementTimeoutMs: number;
    readonly answerWithinMs: number;
  };
}

const builtConsole = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** One server process, assembled but not yet listening. */
export interface Server {
  readonly app: FastifyInstance;
  readonly database: Database;
  /** The connections of the decisions. */
  readonly hot: HotPath;
  /** A connection of its own for work behind the decisions, opened when it is first used. */
  readonly aside: HotPath;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly passwords: Passwords;
  readonly decisions: DecisionService;
  /** Every background job with its handler. */
  readonly jobs: JobRegistry;
  /** Describes how email is sent. */
  readonly aboutMail: string;
  /** Publishes stuck events, and raises the alarm for jobs that nothing takes. */
  readonly reapOutbox: ReapOutbox;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The metrics registry. Parts added to the process register theirs here. */
  readonly registry: Registry;
  /** Returns this process's metrics for the primary process. */
  metrics(): Promise<Metrics>;
  /** Ends requests in flight and closes every connection. Stop listening before you call it. */
  close(): Promise<void>;
}

/** Connections of the decision path: one batch each. */
const hotConnections = 6;

/** Connections that count calls for the rate limits; the second is for when the first has been given up. */
const countingConnections = 2;

/** The roll-up behind the decisions has one of its own. */
const asideConnections = 1;

/** Decisions for show (simulate, tools of customers): as many at once, and no decision waits for them. */
const apartConnections = 2;

/** Connections of one process by which it works for its requests. The listener is one more. */
export function requestConnections({ DATABASE_POOL_MAX }: Pick<Config, 'DATABASE_POOL_MAX'>): number {
  return DATABASE_POOL_MAX + countingConnections + hotConnections + asideConnections + apartConnections;
}

/** Threads of one process that search for why-not; the other processors are left to decisions. */
const searchThreads = 1;

/**
 * Minimum time of answers to sign-in, registration and forgotten password. Longer than the work of each, because a
 * known address writes rows that an unknown one doesn't (docs/design/quality.md T29).
 */
const evenAnswersMs = 300;

/** How soon a request that waited too long gets its refusal. */
const refuseLateEveryMs = 250;

/**
 * A fraction of the time a key stays taken, so that one late renewal doesn't let another process take the work over.
 */
const renewKeysEveryMs = 5_000;

/** How often decision figures are written. */
const flushMinutesEveryMs = 5_000;

export function composeServer(options: ComposeOptions): Server {
  const { config, clock, logger } = options;
  const onError = (err: unknown): void => logger.warn({ err }, 'background work failed');
  const { answerWithinMs, ...limits } = options.patience ?? {};
  const registry = createRegistry(options.version);
  const cacheAsked = createCacheMetrics(registry);
  const { url, directUrl, pooled } = options.address;
  const database = createDatabase({
    url,
    directUrl,
    poolMax: config.DATABASE_POOL_MAX,
    clock,
    onError,
    onWritten: createWriteMetrics(registry),
    ...limits,
  });
  // Counting comes before admission, so it must not wait behind admitted requests.
  const counting = createDatabase({
    url,
    poolMax: countingConnections,
    clock,
    onError,
    ...limits,
  });
  const hot = createHotPath({ url, pooled, connections: hotConnections, onError });
  const aside = createHotPath({ url, pooled, connections: asideConnections, onError });
  const apart = createHotPath({ url, pooled, connections: apartConnections, onError });
  const lifecycle = createLifecycle();
  const pepper = keyOf(config.API_KEY_PEPPER);
  const authenticator = createAuthenticator({ database, pepper, clock, onAsked: cacheAsked('credentials') });
  const accessTokens = createAccessTokens({
    database,
    secret: config.JWT_SIGNING_SECRET ?? config.NEXTAUTH_SECRET,
    clock,
  });
  const sessions = createSessions({
    database,
    secret: config.NEXTAUTH_SECRET,
    clock,
    publicUrl: options.publicUrl,
    readHolder: readSessionHolder,
  });
  const links = createLinks(config.NEXTAUTH_SECRET);
  const passwords = createPasswords();
  const mfaTokens = createMfaTokens(config.NEXTAUTH_SECRET);
  const redis = config.REDIS_URL === null ? null : connectRedis(config.REDIS_URL, onError);
  const countWithinMs = options.patience?.statementTimeoutMs;
  const rateLimits =
    redis === null ? createRateLimitStore(counting, countWithinMs) : createRedisRateLimitStore(redis, countWithinMs);
  const keys = createCustomerKeys(masterKeysOf(config));
  const hashKeys = [config.DATA_ENCRYPTION_KEY, ...config.DATA_ENCRYPTION_KEYS_OLD]
    .map(keyOf)
    .filter((key) => key !== null);
  const customerHash = createKeyedHash(hashKeys, 'customer');
  const envelope =
    config.DATA_ENCRYPTION_KEY === null
      ? null
      : createEnvelope(config.DATA_ENCRYPTION_KEY, config.DATA_ENCRYPTION_KEYS_OLD);
  const outboundOptions = { allowNetworks: config.OUTBOUND_ALLOW_CIDRS, allowHttp: config.OUTBOUND_HTTP_OK };
  const outbound = createOutbound(outboundOptions);
  // The operator's own address, and those that it names: the rules for tenants' addresses do not apply.
  const operatorsOutbound = createOutbound({ allowNetworks: ['0.0.0.0/0', '::/0'], allowHttp: true });
  const google = googleProvider(config, operatorsOutbound);
  const metrics = createDecisionMetrics(registry);
  const decisions = createDecisionService({
    database,
    hot,
    apart,
    keys,
    customerHash,
    clock,
    zoneClock,
    metrics,
    onCatalogueAsked: cacheAsked('catalogues'),
    anonymousKey: keyOf(config.DATA_ENCRYPTION_KEY),
    outbound,
    envelope,
    onError,
  });
  const searches = createSearchThreads(searchThreads, onError);
  const reports = createReportThread(onError);
  const policyFiles = createYamlThread(onError);
  const mail = { envelope, publicUrl: options.publicUrl, logger, ...mailWay(config) };
  const exportFolder = createPrivateFolder(config.EXPORT_DIR ?? join(config.DATA_DIR, 'exports'));
  const notifier = createNotifier({
    outbound,
    transport: mail.transport,
    sender: mail.sender,
    clock,
    countMails: createMailCounter(rateLimits, config.MAIL_RATE_PER_MINUTE, onError),
    onSent: createNotificationMetrics(registry),
    onBreakerMoved: (to) => metrics.breakerMoved('notification', to),
  });
  const reapOutbox = createOutboxReaper({
    database,
    path: aside,
    logger,
    zoneOf: (tenantId) => decisions.timezoneOf(tenantId),
    onReports: (tenantId) => learnSoon(database, tenantId),
  });
  const signUp = { isOpen: config.REGISTRATION, makesPlaygrounds: config.PLAYGROUND_MODE, onTenantCreated };
  const jobs = jobRegistry({
    approvalMaxAgeHours: config.APPROVAL_MAX_AGE_HOURS,
    customerHash,
    database,
    exportFolder,
    notifier,
    reapOutbox,
    renderReport: reports.render,
    trials: () => decisions.trials,
    links,
    mail,
    signUp,
  });
  const keyedWork = createKeyedWork(database);
  const renewing = setInterval(() => keyedWork.renew().catch(onError), renewKeysEveryMs).unref();
  const refusing = setInterval(() => decisions.refuseLate(), refuseLateEveryMs).unref();
  const flushing = setInterval(() => decisions.flushMinutes().catch(onError), flushMinutesEveryMs).unref();
  const { beside } = options;
  const provers = { accessToken: accessTokens, apiKey: authenticator, session: sessions };
  const real: Authenticate = (presented, beforeLookUp) => provers[presented.kind].authenticate(presented, beforeLookUp);
  const authenticate = beside === undefined ? real : beside.authenticate(real);
  const consoleDist = createDist(options.consoleFolder ?? builtConsole);
  const handlers: ReadonlyMap<string, AnyHandler> = operationsOf(features, {
    ...featurePorts,
    database,
    authenticate,
    consoleDist,
    pepper,
    accessTokens,
    approvalMaxAgeHours: config.APPROVAL_MAX_AGE_HOURS,
    chainProof: { checkpointKeys: hashKeys, exportFolder },
    checkpointKeys: hashKeys,
    clock,
    expireApprovals: () =>
      expireApprovals(
        {
          approvalMaxAgeHours: config.APPROVAL_MAX_AGE_HOURS,
          database,
          enqueueMail: mailQueue(envelope),
          logger,
        },
        new Date(clock.now()),
      ),
    exportFolder,
    links,
    mfaTokens,
    metricsSummary: options.metricsSummary ?? (async (tenantId) => summaryOf(await readMetrics(), tenantId)),
    signIn: {
      ...featurePorts.signIn,
      furtherStep: (tx, person) => furtherStep(tx, mfaTokens, person),
      isSameGoogleUser: (one, other) => areSameSubject(database, config.GOOGLE_ISSUER_URL, one, other),
    },
    passwords,
    rateLimits,
    sessions,
    decisions: { service: decisions, keys, metrics },
    erasure: { database, keys, customerHash, erasers: features.flatMap(({ erases }) => erases), onError },
    historyImport: {
      database,
      keys,
      customerHash,
      keyHash: createKeyedHash(hashKeys, 'importKey'),
      pause: (ms) => sleep(ms),
    },
    envelope,
    enqueueMail: mailQueue(envelope),
    evenly: (startedAt) => sleep(Math.max(0, startedAt + (options.evenAnswersMs ?? evenAnswersMs) - performance.now())),
    publicUrl: options.publicUrl,
    signUp,
    jobs,
    suppressions: { keys, customerHash },
    whyNot: { database, trials: decisions.trials, keys, customerHash, search: searches.run },
    operationHandlers: () => handlers,
    seedDatasets: { database, keys, onError, operationHandlers: () => handlers },
    storesSecondFactors: envelope !== null,
    isDemoMode: config.DEMO_MODE,
    oidc: createOidcClient(outbound, { allowHttp: config.OUTBOUND_HTTP_OK }),
    google,
    ssoRedirectOrigins: config.SSO_REDIRECT_ALLOWLIST,
    eventTypes: features.flatMap(({ events }) => events.map(({ type }) => type)),
    readLargeYaml: policyFiles.read,
    reapOutbox,
    renderReport: reports.render,
    resets: allResets,
    retainers: features.flatMap(({ retains }) => retains),
    restorables: features.flatMap(({ restores }) => restores),
    keyedWork,
    narrativeWriter: templateNarrativeWriter,
    notifier,
    onError,
    openBreakers: (tenantId) => notifier.openBreakers(tenantId),
    outboundRules: createOutboundRules(outboundOptions),
    logger,
    version: options.version,
  });
  const ownMetricsText = async () =>
    config.METRICS_TENANT_LABEL ? metricsText(shownMetrics(await readMetrics(), true)) : registry.metrics();
  const readMetrics = () => metricsOfProcess(registry, metrics.byTenant());
  const app = createApp({
    operations: { ...operations, ...beside?.operations },
    pages: Object.values(pageOperations),
    site: createConsoleSite(consoleDist),
    handlers: new Map([...handlers, ...(beside?.handlers ?? [])]),
    database,
    authenticate,
    config: {
      secrets: {
        CRON_SECRET: config.CRON_SECRET,
        CRON_TOKEN: config.CRON_TOKEN,
        METRICS_TOKEN: config.METRICS_TOKEN,
        ...beside?.secrets,
      },
      trustedProxies: config.TRUSTED_PROXIES,
      corsAllowedOrigins: config.CORS_ALLOWED_ORIGINS,
      rateLimitDefaultPerMinute: config.RATE_LIMIT_DEFAULT_PER_MINUTE,
      recommendRatePerMinute: config.RECOMMEND_RATE_PER_MINUTE,
      publicUrl: options.publicUrl,
    },
    clock,
    logger,
    registry,
    lifecycle,
    readyChecks: () => (options.readyChecks ?? checksOf)(database),
    version: options.version,
    metricsText: options.metricsText ?? ownMetricsText,
    ...(options.checkResponses === undefined ? {} : { checkResponses: options.checkResponses }),
    rateLimitStore: rateLimits,
    ...(options.loadShedder === undefined ? {} : { loadShedder: options.loadShedder }),
    ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
  });
  return {
    app,
    database,
    hot,
    aside,
    authenticator,
    sessions,
    links,
    passwords,
    decisions,
    jobs,
    aboutMail: mail.transport.about,
    reapOutbox,
    lifecycle,
    logger,
    clock,
    registry,
    metrics: readMetrics,
    async close() {
      // Ends event streams, because a client that never leaves one would keep the port from closing.
      lifecycle.beginDrain();
      await app.close();
      await searches.close();
      await reports.close();
      await policyFiles.close();
      await decisions.close();
      await outbound.close();
      await operatorsOutbound.close();
      clearInterval(renewing);
      clearInterval(refusing);
      clearInterval(flushing);
      await authenticator.flushUses().catch(onError);
      authenticator.close();
      accessTokens.close();
      sessions.close();
      redis?.close();
      await hot.close();
      await aside.close();
      await apart.close();
      await counting.close();
      await database.close();
    },
  };
}

/** The checks of a process without workers. */
async function checksOf(database: Database): Promise<ReadyChecks> {
  const answered = await databaseAnswers(database);
  return {
    database: answered ? 'ok' : 'failed',
    migrations: answered ? 'ok' : 'failed',
    role: answered ? 'ok' : 'failed',
    queueConsumer: 'off',
    scheduler: 'off',
  };
}
