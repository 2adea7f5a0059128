import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations, type ReadyChecks } from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { type Database, databaseAnswers, type HotPath } from '../db/index.ts';
import { operationsOf } from '../feature.ts';
import { createArchive } from '../features/deciding/archived-months/index.ts';
import {
  callSignalMemory,
  createCallSignal,
  createDecisionMetrics,
  createDecisionService,
  type DecisionService,
} from '../features/deciding/decisions/index.ts';
import { learnSoon } from '../features/deciding/model-learning/index.ts';
import type { Authenticator } from '../features/identity/credentials/index.ts';
import type { Links, Sessions } from '../features/identity/sessions/index.ts';
import { pageOperations } from '../features/identity/sign-in-pages/index.ts';
import { createConsoleSite, createDist } from '../features/operations/console/index.ts';
import { createMailCounter, createNotifier } from '../features/operations/notifications/index.ts';
import {
  createEventPublisher,
  createOutboxReaper,
  createRedisCopy,
  type OnPublished,
  type ReapOutbox,
} from '../features/operations/stream/index.ts';
import { createRunChunks } from '../features/outreach/campaigns/index.ts';
import { type EventListeners, followSoon } from '../features/outreach/customer-events/index.ts';
import { createProviderSignatures } from '../features/outreach/delivery-webhooks/index.ts';
import { createEventListeners, createTriggerConditions } from '../features/outreach/triggers/index.ts';
import { createApp } from '../http/app.ts';
import { createKeyedWork, type KeyedWork } from '../http/binding/keyed-work.ts';
import type { AnyHandler } from '../http/handler.ts';
import { createLifecycle, type Lifecycle } from '../http/lifecycle.ts';
import { eventLoopDelay } from '../http/limits/load-shedding.ts';
import { createRedisRateLimitStore } from '../http/limits/rate-limit.redis.ts';
import { createRateLimitStore } from '../http/limits/rate-limit.ts';
import { createRegistry } from '../http/metrics.ts';
import type { JobRegistry } from '../jobs/index.ts';
import type { Passwords } from '../platform/crypto/passwords.ts';
import type { Logger } from '../platform/logger.ts';
import { createObjectStore } from '../platform/object-store/object-store.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { createPrivateFolder } from '../platform/private-folder.ts';
import { connectRedis, type RedisConnection } from '../platform/redis.ts';
import type { Clock } from '../platform/time/clock.ts';
import { zoneClock } from '../platform/time/zones.ts';
import { archiveFilesOf } from './archive.ts';
import type { ComposeOptions } from './compose-options.ts';
import { type Connections, chunkConnections, createConnections } from './connections.ts';
import { createEncryption, type Encryption } from './encryption.ts';
import { features } from './features.ts';
import { jobRegistry } from './jobs.ts';
import {
  createArchiveMetrics,
  createCacheMetrics,
  createCheckMetrics,
  createDeliveryMetrics,
  createNotificationMetrics,
  createStudyMetrics,
  createTrainingMetrics,
  createTriggerMetrics,
} from './metrics/metrics.ts';
import { type Metrics, metricsText } from './metrics/node-metrics.ts';
import { metricsOfProcess, shownMetrics, summaryOf } from './metrics/tenant-metrics.ts';
import { deliverySender } from './outbound/delivery-sender.ts';
import { mailWay } from './outbound/mail.ts';
import { createNarrativeWriter } from './outbound/narrative-writer.ts';
import { createOutboundCalls } from './outbound/outbound-calls.ts';
import { featurePorts } from './ports.ts';
import { jobPorts, operationPorts, type ProcessParts } from './process-ports.ts';
import { masterKeysOf } from './secrets.ts';
import { createSignIn } from './sign-in.ts';
import { connectorSources } from './sources/connector-sources.ts';
import { threadClock } from './threads/thread-clock.ts';
import { createThreads } from './threads/threads.ts';

const builtConsole = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** One server process, assembled but not yet listening. */
export interface Server {
  readonly app: FastifyInstance;
  readonly database: Database;
  /** The connections of the decisions. */
  readonly hot: HotPath;
  /** Publishes events and rolls up decisions. */
  readonly outboxPath: HotPath;
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
  /** Reacts to new events of a tenant's stream. */
  readonly onPublished: OnPublished;
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

/** How soon a request that waited too long is refused. */
const refuseLateEveryMs = 250;

/** A fraction of the time a key stays taken, so that one late renewal doesn't let another process take over the work. */
const renewKeysEveryMs = 5_000;

/** How often decision figures are written. */
const flushMinutesEveryMs = 5_000;

/** Assembles a process. Nothing is connected yet. */
export function composeServer(options: ComposeOptions): Server {
  const { clock, logger } = options;
  const onError = (err: unknown): void => logger.warn({ err }, 'background work failed');
  const registry = createRegistry(options.version);
  const { parts, redis, onPublished } = createParts(options, registry, onError);
  const { connections, decisions, mail, signIn, threads, outboundCalls } = parts;
  const { database, hot, outboxPath } = connections;
  const lifecycle = createLifecycle();
  const jobs = jobRegistry(jobPorts(parts));
  const keyedWork = createKeyedWork(database);
  const timers = [
    setInterval(() => keyedWork.renew().catch(onError), renewKeysEveryMs).unref(),
    setInterval(() => decisions.refuseLate(), refuseLateEveryMs).unref(),
    setInterval(() => decisions.flushMinutes().catch(onError), flushMinutesEveryMs).unref(),
  ];
  const readMetrics = () =>
    metricsOfProcess(registry, [...parts.decisionMetrics.byTenant(), ...parts.studyMetrics.byTenant()]);
  const app = createHttp({ parts, jobs, keyedWork, lifecycle, registry, readMetrics });
  return {
    ...{ app, database, hot, outboxPath, decisions, jobs, lifecycle, logger, clock, registry },
    authenticator: signIn.authenticator,
    sessions: signIn.sessions,
    links: signIn.links,
    passwords: signIn.passwords,
    aboutMail: mail.transport.about,
    reapOutbox: parts.reapOutbox,
    onPublished,
    metrics: readMetrics,
    async close() {
      // Ends event streams, because a client that never leaves one would keep the port from closing.
      lifecycle.beginDrain();
      await app.close();
      await threads.close();
      await decisions.close();
      await outboundCalls.close();
      for (const timer of timers) clearInterval(timer);
      await signIn.close().catch(onError);
      redis?.close();
      await connections.close();
    },
  };
}

/** Creates what features use, and the client of Redis if it's configured. */
function createParts(options: ComposeOptions, registry: Registry, onError: (error: unknown) => void) {
  const { config, clock, logger, patience, publicUrl } = options;
  const cacheAsked = createCacheMetrics(registry);
  const connections = createConnections({ ...options, registry, onError });
  const { database } = connections;
  const encryption = createEncryption(config);
  const { envelope } = encryption;
  const outboundCalls = createOutboundCalls(config);
  const { outbound } = outboundCalls;
  const redis = config.REDIS_URL === null ? null : connectRedis(config.REDIS_URL, onError);
  const countWithinMs = patience?.statementTimeoutMs;
  const rateLimits =
    redis === null
      ? createRateLimitStore(connections.counting, countWithinMs)
      : createRedisRateLimitStore(redis, countWithinMs);
  const deciding = createDeciding({ options, registry, connections, encryption, outbound, cacheAsked, onError });
  const { decisions, decisionMetrics } = deciding;
  const mail = { envelope, publicUrl, logger, ...mailWay(config) };
  const notifier = createNotifier({
    outbound,
    transport: mail.transport,
    sender: mail.sender,
    clock,
    countMails: createMailCounter(rateLimits, config.MAIL_RATE_PER_MINUTE, onError),
    onSent: createNotificationMetrics(registry),
    onBreakerMoved: (to) => decisionMetrics.breakerMoved('notification', to),
  });
  const triggerFiring = { conditions: createTriggerConditions(), onTriggerFired: createTriggerMetrics(registry) };
  const onPublished = afterPublishing(database, redis, createEventListeners(triggerFiring), onError);
  const reapOutbox = createOutboxReaper({
    database,
    path: connections.outboxPath,
    logger,
    zoneOf: (tenantId) => decisions.timezoneOf(tenantId),
    onPublished,
  });
  const parts: ProcessParts = {
    ...{ options, connections, encryption, outboundCalls, rateLimits, mail, notifier, ...deciding },
    narrativeWriter: createNarrativeWriter(config, decisionMetrics, patience?.modelMs),
    connectorSources: connectorSources(config, registry, outboundCalls, decisionMetrics),
    ...{ reapOutbox, triggerFiring, onError, onTrained: createTrainingMetrics(registry) },
    studyMetrics: createStudyMetrics(registry),
    onArchived: createArchiveMetrics(registry),
    eventPublisher: createEventPublisher({ database, onPublished, onError }),
    deliverySender: deliverySender(config, outbound, publicUrl, (to) => decisionMetrics.breakerMoved('channel', to)),
    onDelivery: createDeliveryMetrics(registry),
    onContradiction: createCheckMetrics(registry),
    signIn: createSignIn({ ...options, database, onCredentialLookup: cacheAsked('credentials') }),
    archive: createArchive(archiveFilesOf(config)),
    exportBucket: config.EXPORT_S3_URL === null ? null : createObjectStore(config.EXPORT_S3_URL),
    exportFolder: createPrivateFolder(config.EXPORT_DIR ?? join(config.DATA_DIR, 'exports')),
  };
  return { parts, redis, onPublished };
}

/** Event loop delay in ms, and share of the pool that waits, at which studies pause (docs/design/lead.md 1). */
const pressedAt = { delayMs: 20, waitingShare: 0.25 };

function studyThreadsOf({
  address,
  config,
  database,
}: Pick<ComposeOptions, 'address' | 'config'> & { readonly database: Database }) {
  const delayMs = eventLoopDelay();
  const { url, pooled, isCluster } = address;
  return {
    ...{ url, pooled, isCluster, masterKeys: masterKeysOf(config) },
    count: config.STUDY_THREADS,
    isPressed: () =>
      delayMs() > pressedAt.delayMs ||
      database.connections().waiting >= config.DATABASE_POOL_MAX * pressedAt.waitingShare,
  };
}

interface DecidingOptions {
  readonly options: ComposeOptions;
  readonly registry: Registry;
  readonly connections: Connections;
  readonly encryption: Encryption;
  readonly outbound: Outbound;
  readonly cacheAsked: ReturnType<typeof createCacheMetrics>;
  readonly onError: (error: unknown) => void;
}

/** Creates the decision service, and the threads that yield to it. */
function createDeciding({
  options: { address, clock, config },
  registry,
  connections: { database, hot, previewPath, chunkPath },
  encryption: { anonymousKey, customerHash, envelope, keys },
  outbound,
  cacheAsked,
  onError,
}: DecidingOptions): Pick<ProcessParts, 'chunkDesk' | 'decisionMetrics' | 'decisions' | 'threads'> {
  const decisionMetrics = createDecisionMetrics(registry);
  const callMemory = callSignalMemory();
  const threads = createThreads(onError, callMemory, studyThreadsOf({ address, config, database }));
  const callSignal = createCallSignal(callMemory, threadClock);
  const decisions = createDecisionService({
    ...{ database, hot, previewPath, chunkPath, keys, customerHash, anonymousKey, envelope },
    ...{ clock, zoneClock, outbound, onError },
    metrics: decisionMetrics,
    onCatalogueAsked: cacheAsked('catalogues'),
    callSignal,
  });
  const runChunk = createRunChunks({ database, decideChunk: decisions.decideChunk });
  const chunkDesk = { runChunk, maxOpen: chunkConnections, hasCalls: callSignal.isRecent };
  return { chunkDesk, decisionMetrics, decisions, threads };
}

/**
 * What happens once events are in a tenant's stream: models learn, triggers and journeys react, and Redis gets its copy,
 * which nothing waits for.
 */
function afterPublishing(
  database: Database,
  redis: RedisConnection | null,
  listeners: EventListeners,
  onError: (error: unknown) => void,
): OnPublished {
  const copy = redis === null ? null : createRedisCopy(database, redis);
  return async (tenantId, slice) => {
    void copy?.(tenantId, slice).catch(onError);
    await followSoon(database, listeners, tenantId);
    if (slice.reports) await learnSoon(database, tenantId);
  };
}

interface HttpParts {
  readonly parts: ProcessParts;
  readonly jobs: JobRegistry;
  readonly keyedWork: KeyedWork;
  readonly lifecycle: Lifecycle;
  readonly registry: Registry;
  readonly readMetrics: () => Promise<Metrics>;
}

/** Connects the operations of all features to HTTP. */
function createHttp({ parts, jobs, keyedWork, lifecycle, registry, readMetrics }: HttpParts): FastifyInstance {
  const { options, connections, rateLimits, signIn } = parts;
  const { testOperations, checkResponses, clock, config, loadShedder, logger, version } = options;
  const { database } = connections;
  const consoleDist = createDist(options.consoleFolder ?? builtConsole);
  const handlers: ReadonlyMap<string, AnyHandler> = operationsOf(features, {
    ...featurePorts,
    ...operationPorts({
      ...parts,
      ...{ consoleDist, jobs, keyedWork },
      metricsSummary: options.metricsSummary ?? (async (tenantId) => summaryOf(await readMetrics(), tenantId)),
      operationHandlers: () => handlers,
    }),
  });
  const ownMetricsText = async () =>
    config.METRICS_TENANT_LABEL ? metricsText(shownMetrics(await readMetrics(), true)) : registry.metrics();
  const answerWithinMs = options.patience?.answerWithinMs;
  return createApp({
    ...{ database, clock, logger, registry, lifecycle, version },
    authenticate: signIn.authenticate,
    isSignedByProvider: createProviderSignatures({
      ...{ database, clock, publicUrl: options.publicUrl },
      envelope: parts.encryption.envelope,
      outbound: parts.outboundCalls.outbound,
      snsTopics: config.SNS_TOPIC_ARNS,
      sendgridKey: config.SENDGRID_WEBHOOK_PUBLIC_KEY,
    }),
    operations: { ...operations, ...testOperations?.operations },
    pages: Object.values(pageOperations),
    site: createConsoleSite(consoleDist),
    handlers: new Map([...handlers, ...(testOperations?.handlers ?? [])]),
    config: httpConfig(options),
    readyChecks: () => (options.readyChecks ?? checksOf)(database),
    metricsText: options.metricsText ?? ownMetricsText,
    rateLimitStore: rateLimits,
    ...(checkResponses === undefined ? {} : { checkResponses }),
    ...(loadShedder === undefined ? {} : { loadShedder }),
    ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
  });
}

function httpConfig({ config, testOperations, publicUrl }: ComposeOptions) {
  const { CRON_SECRET, CRON_TOKEN, METRICS_TOKEN, WEBHOOK_SIGNING_SECRET, WHATSAPP_APP_SECRET } = config;
  return {
    secrets: {
      ...{ CRON_SECRET, CRON_TOKEN, METRICS_TOKEN, WEBHOOK_SIGNING_SECRET, WHATSAPP_APP_SECRET },
      ...testOperations?.secrets,
    },
    trustedProxies: config.TRUSTED_PROXIES,
    corsAllowedOrigins: config.CORS_ALLOWED_ORIGINS,
    rateLimitDefaultPerMinute: config.RATE_LIMIT_DEFAULT_PER_MINUTE,
    recommendRatePerMinute: config.RECOMMEND_RATE_PER_MINUTE,
    publicUrl,
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
