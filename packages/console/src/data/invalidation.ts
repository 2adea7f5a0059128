import { resourceOf } from './operation-key.ts';

/**
 * What a write makes old besides its own resource. Flows take up new offers and creatives by themselves, decisions name
 * whatever was changed, and figures follow from all of it.
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
  seedDataset: ['*'],
  gitops: ['*'],
  tenant: ['*'],
  tenantSettings: ['tenant', 'decisionFlows'],
  users: ['sso', 'apiKeys'],
};

/** Resources whose answers are old after a call of this operation succeeded; `*`: all of them. Calls that only read make none old. */
export function oldAfter(id: string, changes: boolean): readonly string[] {
  if (!changes) return [];
  const resource = resourceOf(id);
  return [resource, ...(effects[resource] ?? [])];
}

/** Whether the answer of an operation is among them. */
export function isOld(id: string, old: readonly string[]): boolean {
  return old.includes('*') || old.includes(resourceOf(id));
}

/** Resources that the table names, for the test that holds it against the contract. */
export const namedResources: readonly string[] = [...new Set(Object.entries(effects).flat(2))].filter(
  (one) => one !== '*',
);
