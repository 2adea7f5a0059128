import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsSummary } from '@arbiter/contract';
import { createOpenReader, type Sources } from '../features/data/connectors/index.ts';
import type { Archive } from '../features/deciding/archived-months/index.ts';
import type { createDecisionMetrics, DecisionService } from '../features/deciding/decisions/index.ts';
import { measureModel, type TrainingPorts } from '../features/deciding/model-training/index.ts';
import { areSameSubject } from '../features/identity/identities/index.ts';
import { type MailPorts, mailQueue } from '../features/identity/mail/index.ts';
import { furtherStep } from '../features/identity/second-factor/index.ts';
import { requiresSso } from '../features/identity/sso/index.ts';
import { expireApprovals } from '../features/operations/approvals/index.ts';
import { findingsOfFlow } from '../features/operations/checks/index.ts';
import { type ConsolePorts, readTextOf } from '../features/operations/console/index.ts';
import { withOverlay } from '../features/operations/gitops/index.ts';
import type { NarrativeWriter } from '../features/operations/narration/index.ts';
import type { Notifier } from '../features/operations/notifications/index.ts';
import type { EventPublisher, ReapOutbox } from '../features/operations/stream/index.ts';
import type { ChunkDesk } from '../features/outreach/campaigns/index.ts';
import type { DeliverySender } from '../features/outreach/deliveries/index.ts';
import { journeyDecider } from '../features/outreach/journeys/index.ts';
import { createEventListeners, type FirePorts } from '../features/outreach/triggers/index.ts';
import type { KeyedWork } from '../http/binding/keyed-work.ts';
import type { AnyHandler } from '../http/handler.ts';
import type { RateLimitStore } from '../http/limits/rate-limit.ts';
import type { JobRegistry } from '../jobs/index.ts';
import type { ObjectStore } from '../platform/object-store/object-store.ts';
import type { PrivateFolder } from '../platform/private-folder.ts';
import type { ComposeOptions } from './compose-options.ts';
import type { Connections } from './connections.ts';
import type { Encryption } from './encryption.ts';
import { allResets, onTenantCreated } from './feature-parts.ts';
import { features } from './features.ts';
import type { StudyMetrics } from './metrics/metrics.ts';
import type { OutboundCalls } from './outbound/outbound-calls.ts';
import { featurePorts, type JobPorts, type jobFeaturePorts, type OperationPorts } from './ports.ts';
import type { SignIn } from './sign-in.ts';
import type { Threads } from './threads/threads.ts';

/**
 * Minimum time of responses to sign-in, registration and forgotten password. Longer than the work of each, because a
 * known address writes rows that an unknown one doesn't (docs/design/quality.md T29).
 */
const evenAnswersMs = 300;
/** An analysis of conflicts that takes longer becomes a study (docs/design/lead.md 5). */
const analysisMs = 2_000;

/** The parts of one process that features use. */
export interface ProcessParts {
  readonly options: ComposeOptions;
  readonly connections: Connections;
  readonly encryption: Encryption;
  readonly signIn: SignIn;
  readonly outboundCalls: OutboundCalls;
  readonly threads: Threads;
  readonly chunkDesk: ChunkDesk;
  readonly decisions: DecisionService;
  readonly decisionMetrics: ReturnType<typeof createDecisionMetrics>;
  /** ARCHIVE_URL. */
  readonly archive: Archive;
  /** EXPORT_S3_URL; null: it isn't set. */
  readonly exportBucket: ObjectStore | null;
  readonly exportFolder: PrivateFolder;
  readonly mail: MailPorts;
  readonly narrativeWriter: NarrativeWriter;
  readonly notifier: Notifier;
  readonly connectorSources: Sources;
  readonly deliverySender: DeliverySender;
  /** Counts the statuses that deliveries take. */
  readonly onDelivery: (status: string) => void;
  /** Counts faults of the policy compiler. */
  readonly onContradiction: (offers: number) => void;
  readonly rateLimits: RateLimitStore;
  readonly reapOutbox: ReapOutbox;
  readonly eventPublisher: EventPublisher;
  readonly triggerFiring: FirePorts;
  /** Counts what is archived. */
  readonly onArchived: (kind: string, rows: number, bytes: number) => void;
  readonly onTrained: TrainingPorts['onTrained'];
  readonly studyMetrics: StudyMetrics;
  readonly onError: (error: unknown) => void;
}

/** Ports that both operations and jobs take. */
function sharedPorts({
  options: { config, logger, publicUrl },
  connections: { database },
  encryption: { customerHash, envelope, keys, pipelineHash },
  signIn: { links },
  threads: { reports, trainings },
  archive,
  connectorSources,
  deliverySender,
  exportBucket,
  exportFolder,
  narrativeWriter,
  notifier,
  onArchived,
  onDelivery,
  onTrained,
  reapOutbox,
}: ProcessParts) {
  return {
    approvalMaxAgeHours: config.APPROVAL_MAX_AGE_HOURS,
    archive,
    archiveAfterDays: config.ARCHIVE_AFTER_DAYS,
    connectorSources,
    customerHash,
    customerKeys: keys,
    database,
    deliverySender,
    enqueueMail: mailQueue(envelope),
    envelope,
    exportBucket,
    exportFolder,
    links,
    logger,
    narrativeWriter,
    notifier,
    onArchived,
    onDelivery,
    onTrained,
    pipelineHash,
    openBreakers: (tenantId: string) => notifier.openBreakers(tenantId),
    publicUrl,
    reapOutbox,
    measureModel: measureModel(keys),
    renderReport: reports.render,
    trainInThread: trainings.train,
    signUp: { isOpen: config.REGISTRATION, makesPlaygrounds: config.PLAYGROUND_MODE, onTenantCreated },
  } satisfies Partial<JobPorts & OperationPorts>;
}

/** What jobs need from the process. */
export function jobPorts(parts: ProcessParts): Omit<JobPorts, keyof typeof jobFeaturePorts> {
  const { decisions, mail } = parts;
  return {
    ...sharedPorts(parts),
    studyThreads: parts.threads.studies,
    onStudyEnded: parts.studyMetrics.onStudyEnded,
    onContradiction: parts.onContradiction,
    decideForGeofence: (call) => journeyDecider(decisions, false)(call),
    decideForTrigger: (call) => journeyDecider(decisions, false)(call),
    eventListeners: createEventListeners(parts.triggerFiring),
    chunkDesk: parts.chunkDesk,
    decideForJourney: (call) => journeyDecider(decisions, false)(call),
    mail,
    openReader:
      parts.options.openReader ??
      createOpenReader({ envelope: parts.encryption.envelope, connectorSources: parts.connectorSources }),
    trials: () => decisions.trials,
  };
}

/** What else operations need from the process. */
export interface OperationParts extends ProcessParts {
  readonly consoleDist: ConsolePorts['consoleDist'];
  readonly jobs: JobRegistry;
  readonly keyedWork: KeyedWork;
  readonly metricsSummary: (tenantId: string) => Promise<MetricsSummary>;
  /** Handlers of all features. Called only once requests come in. */
  readonly operationHandlers: () => ReadonlyMap<string, AnyHandler>;
}

/** What operations need from the process. */
export function operationPorts(parts: OperationParts): Omit<OperationPorts, keyof typeof featurePorts> {
  const { consoleDist, decisions, jobs, keyedWork, metricsSummary, onContradiction, onError, options, rateLimits } =
    parts;
  const shared = sharedPorts(parts);
  const { config, clock } = options;
  return {
    ...shared,
    analysisMs: options.analysisMs ?? analysisMs,
    ...customerPorts(parts),
    ...identityPorts(parts),
    ...listedByFeatures(),
    ...parts.triggerFiring,
    decideForTrigger: journeyDecider(decisions, false),
    eventPublisher: parts.eventPublisher,
    simulateForJourney: journeyDecider(decisions, true),
    ...{ clock, consoleDist, jobs, keyedWork, metricsSummary, onContradiction, onError, rateLimits },
    findingsOfFlow: (tx, flow) => findingsOfFlow({ onContradiction, onError }, tx, flow),
    decisions: {
      service: decisions,
      keys: parts.encryption.keys,
      archive: parts.archive,
      metrics: parts.decisionMetrics,
      proofTemplate: options.proofTemplate ?? (() => readTextOf(consoleDist, '/proof.html')),
    },
    expireApprovals: () => expireApprovals(shared, new Date(clock.now())),
    isDemoMode: config.DEMO_MODE,
    operationHandlers: parts.operationHandlers,
    outbound: parts.outboundCalls.outbound,
    outboundRules: parts.outboundCalls.outboundRules,
    readLargeYaml: parts.threads.policyFiles.read,
    readModelFile: parts.threads.modelFiles.read,
    seedDatasets: {
      database: parts.connections.database,
      keys: parts.encryption.keys,
      onError,
      operationHandlers: parts.operationHandlers,
    },
    tryOverlay: (facts, overlay, work) =>
      withOverlay(
        {
          database: parts.connections.database,
          operationHandlers: parts.operationHandlers,
          handlersInside: featurePorts.handlersInside,
          readLargeYaml: parts.threads.policyFiles.read,
        },
        facts,
        overlay,
        work,
      ),
    snsTopics: config.SNS_TOPIC_ARNS,
    version: options.version,
    whatsappVerifyToken: config.WHATSAPP_WEBHOOK_VERIFY_TOKEN,
  };
}

/** Ports of features that read or write what is stored under customers' keys. */
function customerPorts(parts: ProcessParts) {
  const { archive, connections, decisions, encryption, exportFolder, narrativeWriter, onError, threads } = parts;
  const { database } = connections;
  const { checkpointKeys, customerHash, importKeyHash, keys } = encryption;
  return {
    chainProof: { checkpointKeys, exportFolder },
    checkpointKeys,
    erasure: { database, keys, customerHash, erasers: features.flatMap(({ erases }) => erases), onError },
    historyImport: { database, keys, customerHash, keyHash: importKeyHash, pause: (ms: number) => sleep(ms) },
    narratives: { archive, database, keys, writer: narrativeWriter },
    suppressions: { keys, customerHash },
    whyNot: { archive, database, trials: decisions.trials, keys, customerHash, search: threads.searches.run },
  } satisfies Partial<OperationPorts>;
}

/** Ports of features that sign people in. */
function identityPorts({ options, connections, encryption, outboundCalls, signIn }: ProcessParts) {
  const { config } = options;
  const { authenticate, accessTokens, mfaTokens, passwords, pepper, sessions } = signIn;
  const evenlyMs = options.evenAnswersMs ?? evenAnswersMs;
  return {
    ...{ authenticate, accessTokens, mfaTokens, passwords, pepper, sessions },
    evenly: (startedAt: number) => sleep(Math.max(0, startedAt + evenlyMs - performance.now())),
    google: outboundCalls.google,
    oidc: outboundCalls.oidc,
    signIn: {
      requiresSso,
      furtherStep: (tx, person) => furtherStep(tx, mfaTokens, person),
      isSameGoogleUser: (one, other) => areSameSubject(connections.database, config.GOOGLE_ISSUER_URL, one, other),
    },
    ssoRedirectOrigins: config.SSO_REDIRECT_ALLOWLIST,
    storesSecondFactors: encryption.envelope !== null,
  } satisfies Partial<OperationPorts>;
}

/** What features declare and others use. */
function listedByFeatures() {
  return {
    eventTypes: features.flatMap(({ events }) => events.map(({ type }) => type)),
    resets: allResets,
    searchables: features.flatMap(({ searches }) => searches),
    restorables: features.flatMap(({ restores }) => restores),
    retainers: features.flatMap(({ retains }) => retains),
  } satisfies Partial<OperationPorts>;
}
