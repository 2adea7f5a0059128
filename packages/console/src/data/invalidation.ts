import { resourceOf } from './operation-key.ts';

/**
 * What a write makes stale besides its own resource. Flows follow new offers and creatives, decisions name any record, and
 * metrics depend on everything.
 */
const effects: Readonly<Record<string, readonly string[]>> = {
  offers: ['creatives', 'decisionFlows', 'contactPolicies', 'tenant'],
  creatives: ['offers', 'decisionFlows'],
  categories: ['subCategories', 'offers'],
  subCategories: ['categories', 'offers'],
  channels: ['placements', 'creatives', 'flowRoutes'],
  placements: ['channels', 'creatives', 'flowRoutes'],
  content: ['creatives'],
  contactPolicies: ['customers'],
  qualificationRules: ['decisionFlows', 'customers'],
  suppressions: ['customers'],
  segments: ['qualificationRules', 'contactPolicies', 'customers'],
  schemas: ['schemaJoins', 'segments', 'customers', 'tenant'],
  schemaJoins: ['schemas', 'segments'],
  decisionFlows: ['flowRoutes'],
  decisions: ['decisionTraces', 'interactions', 'customers', 'suppressions', 'tenant', 'events'],
  customers: ['interactions', 'decisions', 'decisionTraces', 'suppressions', 'schemas'],
  records: ['*'],
  approvals: ['*'],
  seedDataset: ['*'],
  gitops: ['*'],
  tenant: ['*'],
  tenantSettings: ['tenant', 'decisionFlows'],
  users: ['sso', 'apiKeys'],
};

/** Returns the resources that a successful call makes stale; `*` for all. Reads make none stale. */
export function oldAfter(id: string, changes: boolean): readonly string[] {
  return changes ? oldAfterChange(resourceOf(id)) : [];
}

/** Returns the resources that a change of a resource makes stale: itself and those that depend on it. */
export function oldAfterChange(resource: string): readonly string[] {
  return [resource, ...(effects[resource] ?? [])];
}

/** Whether an operation's data is among them. */
export function isOld(id: string, old: readonly string[]): boolean {
  return old.includes('*') || old.includes(resourceOf(id));
}

/** Resources in the table, for the test that compares it with the contract. */
export const namedResources: readonly string[] = [...new Set(Object.entries(effects).flat(2))].filter(
  (one) => one !== '*',
);
