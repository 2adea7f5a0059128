import type { Database, Tx } from '../db/index.ts';
import type { AuditPorts } from '../features/audit/index.ts';
import type { PolicyReferrers } from '../features/contact-policies/index.ts';
import { deleteCreativesOfOffer } from '../features/creatives/index.ts';
import type { AccessTokens, Pepper } from '../features/credentials/index.ts';
import { customerNumbers } from '../features/customer-states/index.ts';
import type { DecisionRouteDeps } from '../features/decisions/index.ts';
import { flowsNamingPolicy, selectFlowsContaining } from '../features/flows/index.ts';
import type { OperationHandlers } from '../features/gitops/index.ts';
import type { SettlementNumbers } from '../features/interactions/index.ts';
import { hasOffers, type OfferDependants } from '../features/offers/index.ts';
import type { FindProfileUses } from '../features/ranking-profiles/index.ts';
import { type FindSchemaUses, hasSchemas, recordableColumns } from '../features/schemas/index.ts';
import { readSettings, type SettingsPorts } from '../features/settings/index.ts';
import type { TenantPorts } from '../features/tenants/index.ts';
import type { Authenticate } from '../http/principal.ts';
import type { RateLimitStore } from '../http/rate-limit.ts';
import type { JobRegistry } from '../jobs/index.ts';

/** What jobs need from the process, and of features that their own may not import. */
export interface JobPorts {
  readonly database: Database;
  readonly settlementNumbers: SettlementNumbers;
}

/** As `featurePorts`, for jobs. */
export const jobFeaturePorts: Omit<JobPorts, 'database'> = { settlementNumbers: customerNumbers };

/** What operations need from the process. */
export interface ProcessPorts {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly pepper: Pepper;
  readonly accessTokens: AccessTokens;
  readonly rateLimits: RateLimitStore;
  readonly decisions: DecisionRouteDeps;
  readonly jobs: JobRegistry;
  /** Of all features, so that files are applied by the operations themselves. */
  readonly operationHandlers: OperationHandlers;
  /** DEMO_MODE of the process. */
  readonly isDemoMode: boolean;
}

/** What operations need of features that their own may not import, under the names by which they ask for it. */
interface FeaturePorts extends AuditPorts, SettingsPorts, Pick<TenantPorts, 'hasData'> {
  readonly policyReferrers: PolicyReferrers;
  readonly offerDependants: OfferDependants;
  readonly findSchemaUses: FindSchemaUses;
  readonly findProfileUses: FindProfileUses;
}

export type Ports = ProcessPorts & FeaturePorts;

/** Here, and nowhere else, features are plugged into features that may not import them. */
export const featurePorts: FeaturePorts = {
  readTimezone: async (tx) => (await readSettings(tx)).timezone,
  // Any offer or schema (docs/design/api-access.md 5.3).
  hasData: async (tx) => (await hasOffers(tx)) || (await hasSchemas(tx)),
  recordableColumns,
  policyReferrers: { flowsNaming: flowsNamingPolicy },
  offerDependants: { deleteWithOffer: deleteCreativesOfOffer },
  findSchemaUses: flowsUsingSchema,
  // The setting defaultArbitrationProfileId takes no id as long as no decision reads it.
  findProfileUses: async (tx, id) =>
    (await selectFlowsContaining(tx, id)).map((flow) => ({ noun: 'decision flow', ...flow })),
};

/** Flows name a schema by its id or by its name. */
async function flowsUsingSchema(tx: Tx, schema: { readonly id: string; readonly name: string }) {
  const byId = await selectFlowsContaining(tx, schema.id);
  const byName = await selectFlowsContaining(tx, JSON.stringify(schema.name));
  const flows = new Map([...byId, ...byName].map((flow) => [flow.id, flow]));
  return [...flows.values()].map((flow) => ({ noun: 'decision flow', ...flow }));
}
