import {
  adminRlsOperations,
  apiKeyOperations,
  auditLogOperations,
  categoryOperations,
  channelOperations,
  contactPolicyOperations,
  creativeOperations,
  deadLetterOperations,
  decisionFlowOperations,
  decisionOperations,
  offerOperations,
  outcomeTypeOperations,
  placementOperations,
  qualificationRuleOperations,
  schemaOperations,
  sessionOperations,
  subCategoryOperations,
  tenantOperations,
  tenantSettingsOperations,
} from '@arbiter/contract';
import type { Database, Tx } from '../db/index.ts';
import { adminRlsRoutes, deadLetterRoutes } from '../features/admin/index.ts';
import { auditLogRoutes } from '../features/audit/index.ts';
import { categoryRoutes, subCategoryRoutes } from '../features/categories/index.ts';
import { channelRoutes, placementRoutes } from '../features/channels/index.ts';
import { contactPolicyRoutes } from '../features/contact-policies/index.ts';
import { creativeRoutes, deleteCreativesOfOffer } from '../features/creatives/index.ts';
import { apiKeyRoutes, type Pepper, sessionRoutes } from '../features/credentials/index.ts';
import { type DecisionRouteDeps, decisionRoutes } from '../features/decisions/index.ts';
import { decisionFlowRoutes, flowsNamingPolicy, selectFlowsContaining } from '../features/flows/index.ts';
import { hasOffers, offerRoutes } from '../features/offers/index.ts';
import { insertSystemOutcomeTypes, outcomeTypeRoutes } from '../features/outcomes/index.ts';
import { qualificationRuleRoutes } from '../features/qualification/index.ts';
import { hasSchemas, schemaRoutes } from '../features/schemas/index.ts';
import { readSettings, tenantSettingsRoutes } from '../features/settings/index.ts';
import { type OnTenantCreated, tenantRoutes } from '../features/tenants/index.ts';
import { type AnyHandler, handlerEntries } from '../http/handler.ts';
import type { Authenticate } from '../http/principal.ts';
import type { JobRegistry } from '../jobs/index.ts';

/** What the features need from the process. */
export interface FeatureDependencies {
  readonly database: Database;
  readonly authenticate: Authenticate;
  readonly pepper: Pepper;
  readonly decisions: DecisionRouteDeps;
  readonly jobs: JobRegistry;
  readonly isDemoMode: boolean;
}

/** What a new tenant gets, in its own transaction. */
export const onTenantCreated: readonly OnTenantCreated[] = [insertSystemOutcomeTypes];

/** A handler for every operation but those of the HTTP layer itself; here upper features are plugged into lower ones. */
export function buildHandlers(deps: FeatureDependencies): ReadonlyMap<string, AnyHandler> {
  const { database, authenticate, pepper, isDemoMode } = deps;
  const dependants = { deleteWithOffer: deleteCreativesOfOffer };
  const referrers = { flowsNaming: flowsNamingPolicy };
  const readTimezone = async (tx: Tx) => (await readSettings(tx)).timezone;
  return new Map([
    ...handlerEntries(adminRlsOperations, adminRlsRoutes()),
    ...handlerEntries(apiKeyOperations, apiKeyRoutes({ pepper })),
    ...handlerEntries(auditLogOperations, auditLogRoutes({ readTimezone })),
    ...handlerEntries(categoryOperations, categoryRoutes()),
    ...handlerEntries(channelOperations, channelRoutes()),
    ...handlerEntries(contactPolicyOperations, contactPolicyRoutes({ referrers })),
    ...handlerEntries(creativeOperations, creativeRoutes()),
    ...handlerEntries(deadLetterOperations, deadLetterRoutes({ registry: deps.jobs })),
    ...handlerEntries(decisionFlowOperations, decisionFlowRoutes()),
    ...handlerEntries(decisionOperations, decisionRoutes(deps.decisions)),
    ...handlerEntries(offerOperations, offerRoutes({ dependants })),
    ...handlerEntries(outcomeTypeOperations, outcomeTypeRoutes()),
    ...handlerEntries(placementOperations, placementRoutes()),
    ...handlerEntries(qualificationRuleOperations, qualificationRuleRoutes()),
    ...handlerEntries(schemaOperations, schemaRoutes({ findUses: flowsUsingSchema })),
    ...handlerEntries(sessionOperations, sessionRoutes({ database, authenticate })),
    ...handlerEntries(subCategoryOperations, subCategoryRoutes()),
    ...handlerEntries(tenantOperations, tenantRoutes({ hasData, isDemoMode })),
    ...handlerEntries(tenantSettingsOperations, tenantSettingsRoutes()),
  ]);
}

/** True when the tenant has any offer or schema (api-access.md 5.3). */
const hasData = async (tx: Tx): Promise<boolean> => (await hasOffers(tx)) || (await hasSchemas(tx));

/** Flows name a schema by its id or by its name (port `FindSchemaUses`). */
async function flowsUsingSchema(tx: Tx, schema: { readonly id: string; readonly name: string }) {
  const byId = await selectFlowsContaining(tx, schema.id);
  const byName = await selectFlowsContaining(tx, JSON.stringify(schema.name));
  const flows = new Map([...byId, ...byName].map((flow) => [flow.id, flow]));
  return [...flows.values()].map((flow) => ({ noun: 'decision flow', ...flow }));
}
