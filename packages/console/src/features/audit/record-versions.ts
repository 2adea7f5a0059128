import { versionOperations } from '@arbiter/contract/core/record-versions';
import Type from 'typebox';

/** Types of records whose earlier versions can be read, with the name of their resource. A test compares it with the contract. */
export const versionedResources: Readonly<Record<string, { readonly name: string; readonly path: string }>> = {
  algorithmModel: { name: 'algorithmModels', path: 'algorithm-models' },
  category: { name: 'categories', path: 'categories' },
  channel: { name: 'channels', path: 'channels' },
  contactPolicy: { name: 'contactPolicies', path: 'contact-policies' },
  creative: { name: 'creatives', path: 'creatives' },
  decisionTest: { name: 'decisionTests', path: 'decision-tests' },
  experiment: { name: 'experiments', path: 'experiments' },
  flowRoute: { name: 'flowRoutes', path: 'flow-routes' },
  journey: { name: 'journeys', path: 'journeys' },
  offer: { name: 'offers', path: 'offers' },
  outcomeType: { name: 'outcomeTypes', path: 'outcome-types' },
  placement: { name: 'placements', path: 'placements' },
  qualificationRule: { name: 'qualificationRules', path: 'qualification-rules' },
  rankingProfile: { name: 'rankingProfiles', path: 'ranking-profiles' },
  subCategory: { name: 'subCategories', path: 'sub-categories' },
  trigger: { name: 'triggers', path: 'triggers' },
};

/**
 * Returns the operations on the versions of a record type; null if it has none. Made from the resource's name, because the contracts
 * of all types together would be the largest part of the page.
 */
export function versionsOf(entityType: string) {
  const resource = Object.hasOwn(versionedResources, entityType) ? versionedResources[entityType] : undefined;
  if (resource === undefined) return null;
  return versionOperations({ tag: 'Audit', noun: 'record' }, { ...resource, record: Type.Object({}) });
}
