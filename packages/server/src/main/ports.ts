import type { KeyObject } from 'node:crypto';
import type { MetricsSummary } from '@arbiter/contract';
import type { Database, Tx } from '../db/index.ts';
import type { Resets, Restorable, Retainer } from '../feature.ts';
import type { ChannelPorts } from '../features/catalogue/channels/index.ts';
import { type PolicyReferrers, policiesNamingSegment } from '../features/catalogue/contact-policies/index.ts';
import { contentHandlersInside, type ReadProfile } from '../features/catalogue/content/index.ts';
import { type CreativePorts, deleteCreativesOfOffer } from '../features/catalogue/creatives/index.ts';
import { lockRoutes } from '../features/catalogue/flow-routes/index.ts';
import {
  type FlowRoutePorts,
  flowsNamingPolicy,
  flowsScoringBy,
  noteForAssembly,
  selectFlowsContaining,
} from '../features/catalogue/flows/index.ts';
import type { ModelPorts } from '../features/catalogue/models/index.ts';
import { hasOffers, type OfferPorts, offersNamingSegment } from '../features/catalogue/offers/index.ts';
import { rulesNamingSegment } from '../features/catalogue/qualification/index.ts';
import { type FindProfileUses, keepsProfile } from '../features/catalogue/ranking-profiles/index.ts';
import {
  type AppendEvents,
  type FindFieldUses,
  type FindSchemaUses,
  fieldHandlersInside,
  hasSchemas,
  readCustomerProfile,
  recordableColumns,
} from '../features/catalogue/schemas/index.ts';
import {
  type FindSegmentUses,
  type RefreshPorts,
  recordableSegments,
  segmentsAmong,
  segmentsAsking,
  segmentsOfCustomers,
} from '../features/catalogue/segments/index.ts';
import { customerNumbers, type KeyedHash } from '../features/deciding/customer-states/index.ts';
import type { DecisionRouteDeps, Trials } from '../features/deciding/decisions/index.ts';
import type { ReachPorts } from '../features/deciding/estimates/index.ts';
import type { HistoryImportPorts } from '../features/deciding/history-import/index.ts';
import { readCreativeTotals, type SettlementNumbers } from '../features/deciding/interactions/index.ts';
import type { SuppressionPorts } from '../features/deciding/suppressions/index.ts';
import type { WhyNotPorts } from '../features/deciding/why-not/index.ts';
import type { AccountDependencies, AccountJobPorts, SignInPorts, SignUp } from '../features/identity/accounts/index.ts';
import type { AuditPorts, ChainProof } from '../features/identity/audit/index.ts';
import type { AccessTokens, Pepper } from '../features/identity/credentials/index.ts';
import type { GoogleDependencies } from '../features/identity/google/index.ts';
import type { EnqueueMail, MailPorts } from '../features/identity/mail/index.ts';
import type { MfaTokens } from '../features/identity/second-factor/index.ts';
import type { Links, Sessions } from '../features/identity/sessions/index.ts';
import { readSettings, type SettingsPorts } from '../features/identity/settings/index.ts';
import { requiresSso, type SsoDependencies } from '../features/identity/sso/index.ts';
import type { TenantPorts } from '../features/identity/tenants/index.ts';
import { noteAlertDelivery, type TickPorts } from '../features/operations/alerts/index.ts';
import type { ExpiryPorts } from '../features/operations/approvals/index.ts';
import type { ConsolePorts } from '../features/operations/console/index.ts';
import type { ErasureRoutePorts } from '../features/operations/erasure/index.ts';
import type { ExpireApprovals } from '../features/operations/maintenance/index.ts';
import type { NotificationJobPorts, Notifier } from '../features/operations/notifications/index.ts';
import {
  type BackgroundPorts,
  noteReportDelivery,
  type RunPorts,
  reportFiles,
  startReports,
} from '../features/operations/reports/index.ts';
import type { SeedPorts } from '../features/operations/seed-packs/index.ts';
import { appendEvents, type ReapOutbox } from '../features/operations/stream/index.ts';
import type { OperationHandlers } from '../http/binding/call-inside.ts';
import type { KeyedWork } from '../http/binding/keyed-work.ts';
import type { AnyHandler } from '../http/handler.ts';
import type { RateLimitStore } from '../http/limits/rate-limit.ts';
import type { Authenticate } from '../http/principal.ts';
import type { JobRegistry } from '../jobs/index.ts';
import type { Passwords } from '../platform/crypto/passwords.ts';
import type { Logger } from '../platform/logger.ts';
import type { PrivateFolder } from '../platform/private-folder.ts';
import type { ReadLargeYaml } from '../platform/read-yaml.ts';
import type { Clock } from '../platform/time/clock.ts';

/** What jobs need from the process, and from features that theirs may not import. */
export interface JobPorts
  extends AccountJobPorts,
    RefreshPorts,
    ExpiryPorts,
    NotificationJobPorts,
    TickPorts,
    BackgroundPorts {
  readonly database: Database;
  readonly customerHash: KeyedHash;
  /** EXPORT_DIR. */
  readonly exportFolder: PrivateFolder;
  /** How mail is sent. */
  readonly mail: MailPorts;
  readonly reapOutbox: ReapOutbox;
  readonly settlementNumbers: SettlementNumbers;
  /** This process's decisions for previews. */
  readonly trials: () => Trials;
}

/** Like `featurePorts`, for jobs. */
export const jobFeaturePorts: Omit<
  JobPorts,
  | keyof AccountJobPorts
  | keyof ExpiryPorts
  | keyof BackgroundPorts
  | 'customerHash'
  | 'database'
  | 'envelope'
  | 'exportFolder'
  | 'mail'
  | 'notifier'
  | 'reapOutbox'
  | 'trials'
> = {
  settlementNumbers: customerNumbers,
  alsoDue: [startReports],
  filesOf: reportFiles,
  tellDelivery: async (tx, result) => {
    await noteAlertDelivery(tx, result);
    await noteReportDelivery(tx, result);
  },
  watchedSegments,
  publishEvents: (tx, events) => appendEvents(tx, events, []),
};

/** Triggers and journeys will watch segments; there are none of either yet. */
async function watchedSegments(): Promise<ReadonlySet<string>> {
  return new Set();
}

/** What operations need from the process. */
export interface ProcessPorts extends Omit<FlowRoutePorts, 'appendEvents' | 'lockRoutes'> {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly consoleDist: ConsolePorts['consoleDist'];
  readonly pepper: Pepper;
  readonly accessTokens: AccessTokens;
  /** APPROVAL_MAX_AGE_HOURS of the process. */
  readonly approvalMaxAgeHours: number;
  readonly chainProof: ChainProof;
  /** Keys that sign checkpoints of audit chains, the newest first. */
  readonly checkpointKeys: readonly KeyObject[];
  readonly expireApprovals: ExpireApprovals;
  /** EXPORT_DIR. */
  readonly exportFolder: PrivateFolder;
  /** Returns a tenant's counts over all processes of the server. */
  readonly metricsSummary: (tenantId: string) => Promise<MetricsSummary>;
  /** What features delete by age. */
  readonly retainers: readonly Retainer[];
  readonly keyedWork: KeyedWork;
  readonly links: Links;
  readonly mfaTokens: MfaTokens;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly rateLimits: RateLimitStore;
  readonly decisions: DecisionRouteDeps;
  readonly logger: Logger;
  readonly narrativeWriter: RunPorts['narrativeWriter'];
  readonly notifier: Notifier;
  readonly openBreakers: RunPorts['openBreakers'];
  /** Enqueues an email in the transaction. */
  readonly enqueueMail: EnqueueMail;
  readonly reapOutbox: ReapOutbox;
  readonly readLargeYaml: ReadLargeYaml;
  readonly renderReport: RunPorts['renderReport'];
  readonly evenly: AccountDependencies['evenly'];
  /** NEXTAUTH_URL of the process. */
  readonly publicUrl: string;
  readonly signUp: SignUp;
  readonly erasure: ErasureRoutePorts;
  readonly historyImport: HistoryImportPorts;
  readonly jobs: JobRegistry;
  readonly seedDatasets: SeedPorts;
  readonly suppressions: SuppressionPorts;
  readonly whyNot: WhyNotPorts;
  /** Handlers of all features, so that files are applied through the operations themselves. */
  readonly operationHandlers: OperationHandlers;
  readonly oidc: SsoDependencies['oidc'];
  readonly google: GoogleDependencies['google'];
  /** SSO_REDIRECT_ALLOWLIST of the process. */
  readonly ssoRedirectOrigins: readonly string[];
  readonly storesSecondFactors: SettingsPorts['storesSecondFactors'];
  /** DEMO_MODE of the process. */
  readonly isDemoMode: boolean;
  /** Event types that features publish. */
  readonly eventTypes: readonly string[];
  /** What features and layers do at a reset. */
  readonly resets: readonly Resets[];
  /** Takes what went wrong and hindered nothing. */
  readonly onError: (error: unknown) => void;
  /** Records that features can restore. */
  readonly restorables: readonly Restorable[];
  /** The product's version. */
  readonly version: string;
}

/** What operations need from features that theirs may not import, by the names they use. */
interface FeaturePorts
  extends Pick<AuditPorts, 'readTimezone'>,
    Omit<ChannelPorts, 'envelope'>,
    CreativePorts,
    OfferPorts,
    ModelPorts,
    Pick<FlowRoutePorts, 'lockRoutes'>,
    Omit<SettingsPorts, 'storesSecondFactors'>,
    Pick<TenantPorts, 'hasData'>,
    Pick<RefreshPorts, 'watchedSegments'>,
    Pick<TickPorts, 'alsoDue'> {
  readonly policyReferrers: PolicyReferrers;
  readonly signIn: Pick<SignInPorts, 'requiresSso'>;
  readonly appendEvents: AppendEvents;
  readonly findFieldUses: FindFieldUses;
  readonly handlersInside: ReadonlyMap<string, AnyHandler>;
  readonly estimates: ReachPorts;
  readonly findSchemaUses: FindSchemaUses;
  readonly findSegmentUses: FindSegmentUses;
  readonly findProfileUses: FindProfileUses;
  readonly readProfile: ReadProfile;
}

export type Ports = ProcessPorts & Omit<FeaturePorts, 'signIn'> & { readonly signIn: SignInPorts };

/** Here, and nowhere else, features are plugged into features that may not import them. */
export const featurePorts: FeaturePorts = {
  alsoDue: jobFeaturePorts.alsoDue,
  creativeCounts: readCreativeTotals,
  readTimezone: async (tx) => (await readSettings(tx)).timezone,
  // Any offer or schema (docs/design/api-access.md 5.3).
  hasData: async (tx) => (await hasOffers(tx)) || (await hasSchemas(tx)),
  findModelUses: flowsScoringBy,
  readCustomer: readCustomerProfile,
  readProfile: readCustomerProfile,
  recordableColumns,
  lockRoutes,
  recordableSegments,
  policyReferrers: { flowsNaming: flowsNamingPolicy },
  signIn: { requiresSso },
  tellChange: noteForAssembly,
  offerDependants: { deleteWithOffer: deleteCreativesOfOffer },
  appendEvents: (tx, events) => appendEvents(tx, events, []),
  findFieldUses,
  handlersInside: new Map([...contentHandlersInside(), ...fieldHandlersInside(findFieldUses)]),
  estimates: { segmentsAmong, segmentsOfCustomers },
  findSchemaUses: async (tx, schema) => [
    ...(await flowsUsingSchema(tx, schema)),
    ...(await segmentsAsking(tx, { id: schema.id })),
  ],
  watchedSegments,
  findSegmentUses: async (tx, segment, kind) => [
    ...(await policiesNamingSegment(tx, segment)).map((policy) => ({ noun: 'contact policy', ...policy })),
    ...(await rulesNamingSegment(tx, segment, kind)).map((rule) => ({ noun: 'qualification rule', ...rule })),
    ...(await offersNamingSegment(tx, segment, kind)).map((offer) => ({ noun: 'offer', ...offer })),
  ],
  keepsProfile,
  findProfileUses: async (tx, id) => [
    ...(await selectFlowsContaining(tx, id)).map((flow) => ({ noun: 'decision flow', ...flow })),
    ...((await readSettings(tx)).defaultArbitrationProfileId === id
      ? [{ noun: 'tenant setting', name: 'defaultArbitrationProfileId', id: tx.tenantId }]
      : []),
  ],
};

/** Joins belong to the schemas themselves. Pipelines will be checked here too. */
async function findFieldUses(tx: Tx, { schemaId, name }: Parameters<FindFieldUses>[1]) {
  return segmentsAsking(tx, { id: schemaId, column: name });
}

/** Flows name a schema by its id or by its name. */
async function flowsUsingSchema(tx: Tx, schema: { readonly id: string; readonly name: string }) {
  const byId = await selectFlowsContaining(tx, schema.id);
  const byName = await selectFlowsContaining(tx, JSON.stringify(schema.name));
  const flows = new Map([...byId, ...byName].map((flow) => [flow.id, flow]));
  return [...flows.values()].map((flow) => ({ noun: 'decision flow', ...flow }));
}
