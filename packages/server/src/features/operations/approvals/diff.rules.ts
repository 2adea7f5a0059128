import { type ApprovableType, type ApprovalChange, approvedBy, type Operation } from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';
import { jsonDifferences } from '../../catalogue/catalogue-records/index.ts';
import { secretMask } from '../../identity/audit/index.ts';
import type { ApprovalRow, Payload } from './approvals.store.ts';

/** Facts about the change that aren't values of the record. */
const besideValues = new Set(['id', 'rowVersion', 'version', 'publish', 'notes']);

/** Properties of the record that a change of it takes. */
function writable(entityType: ApprovableType): string[] {
  const { body }: Operation = approvedBy[entityType].updateById;
  const properties: unknown = Reflect.get(body ?? {}, 'properties');
  return isObject(properties) ? Object.keys(properties).filter((name) => !besideValues.has(name)) : [];
}

/**
 * What a request changes of the record as it is now. A change replaces the properties that it names; of a record that is to
 * be deleted every property goes.
 */
export function differences(
  entityType: ApprovableType,
  { action, payload, hiddenPaths }: Pick<ApprovalRow, 'action' | 'payload' | 'hiddenPaths'>,
  record: Payload,
): ApprovalChange[] {
  const names = writable(entityType);
  if (action === 'delete') {
    return names
      .filter((name) => (record[name] ?? null) !== null)
      .map((name) => ({ path: `/${name}`, before: record[name], after: null }));
  }
  const requestedValues = payload ?? {};
  const changed = names
    .filter((name) => Object.hasOwn(requestedValues, name))
    .flatMap((name) => jsonDifferences(record[name], requestedValues[name], `/${name}`));
  const changedPaths = new Set(changed.map(({ path }) => path));
  // Bullets do not tell one secret from another: whatever was given counts as another one.
  const secrets = hiddenPaths
    .filter((path) => !changedPaths.has(path) && names.includes(path.split('/')[1] ?? ''))
    .map((path) => ({ path, before: secretMask, after: secretMask }));
  return [...changed, ...secrets, ...publication(entityType, requestedValues, record)];
}

/** Publishing makes the next version: from the number of the last one, null before the first. */
function publication(entityType: ApprovableType, asked: Payload, record: Payload): ApprovalChange[] {
  if (entityType !== 'decisionFlow' || asked.publish !== true) return [];
  const versions = Array.isArray(record.publishedVersions) ? record.publishedVersions.length : 0;
  return [{ path: '/publish', before: versions === 0 ? null : versions, after: versions + 1 }];
}
