import { adminRlsOperations } from './admin-rls.ts';
import { apiKeyOperations } from './api-keys.ts';
import { auditLogOperations } from './audit-logs.ts';
import { categoryOperations, subCategoryOperations } from './categories.ts';
import { channelOperations } from './channels.ts';
import { contactPolicyOperations } from './contact-policies.ts';
import type { Operation } from './core/operation.ts';
import type { Resource } from './core/resource.ts';
import { creativeOperations } from './creatives.ts';
import { deadLetterOperations } from './dead-letters.ts';
import { decisionFlowOperations } from './decision-flows.ts';
import { decisionOperations } from './decisions.ts';
import { offerOperations } from './offers.ts';
import { outcomeTypeOperations } from './outcome-types.ts';
import { placementOperations } from './placements.ts';
import { qualificationRuleOperations } from './qualification-rules.ts';
import { rankingProfileOperations } from './ranking-profiles.ts';
import { retentionOperations } from './retention.ts';
import { schemaOperations } from './schemas.ts';
import { sessionOperations } from './session.ts';
import { systemOperations } from './system.ts';
import { tenantSettingsOperations } from './tenant-settings.ts';
import { tenantOperations } from './tenants.ts';

/** A contract module's operations, keyed by their ids instead of by their names inside the module. */
type ById<M extends Record<string, Operation>> = { [K in keyof M as M[K]['id']]: M[K] };

function byId<const M extends Record<string, Operation>>(module: M): ById<M> {
  return Object.fromEntries(Object.values(module).map((operation) => [operation.id, operation])) as ById<M>;
}

/** Every operation of the API, by id. A contract module adds its line here and its export in `index.ts`. */
export const operations = {
  ...byId(systemOperations),
  ...byId(sessionOperations),
  ...byId(schemaOperations),
  ...byId(categoryOperations),
  ...byId(subCategoryOperations),
  ...byId(channelOperations),
  ...byId(placementOperations),
  ...byId(outcomeTypeOperations),
  ...byId(tenantOperations),
  ...byId(tenantSettingsOperations),
  ...byId(auditLogOperations),
  ...byId(apiKeyOperations),
  ...byId(adminRlsOperations),
  ...byId(deadLetterOperations),
  ...byId(retentionOperations),
  ...byId(contactPolicyOperations),
  ...byId(creativeOperations),
  ...byId(decisionFlowOperations),
  ...byId(offerOperations),
  ...byId(qualificationRuleOperations),
  ...byId(rankingProfileOperations),
  ...byId(decisionOperations),
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;

type Listed = Extract<Operations[OperationId], { readonly resource: Resource }>['resource'];

/** `entityType` of a resource that is built: the word by which records refer to each other. */
export type EntityType = Listed['entityType'];

/** The resource with this `entityType`. */
export type ResourceOf<E extends EntityType> = Extract<Listed, { readonly entityType: E }>;

/** Every resource by its `entityType`: those that have operations, in the order of `operations`. */
export const resources = Object.fromEntries(
  Object.values<Operation>(operations).flatMap(({ resource }) =>
    resource === undefined ? [] : [[resource.entityType, resource]],
  ),
) as { readonly [E in EntityType]: ResourceOf<E> };
