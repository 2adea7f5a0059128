import { versionOperations } from '@arbiter/contract/core/record-versions';
import Type from 'typebox';
import { versionedResources } from './versioned-resources.generated.ts';

/**
 * Returns the operations on the versions of a record type; null if it has none. Made from the resource's name, because the contracts
 * of all types together would be the largest part of the page.
 */
export function versionsOf(entityType: string) {
  const resource = Object.hasOwn(versionedResources, entityType) ? versionedResources[entityType] : undefined;
  if (resource === undefined) return null;
  return versionOperations({ tag: 'Audit', noun: 'record' }, { ...resource, record: Type.Object({}) });
}
