import { approvedBy, isApprovable, type Operation } from '@arbiter/contract';
import { createFindUnknown, type FindUnknown } from '../../../http/input/unknown-properties.ts';
import type { Remark } from '../../../platform/remark.ts';
import type { ApprovalRow, Payload } from './approvals.store.ts';

const finders = new Map<string, FindUnknown>();

/** Parts of a payload that the direct write wouldn't know, so that the requester can still fix them. */
export function payloadRemarks(
  { entityType, action }: Pick<ApprovalRow, 'entityType' | 'action'>,
  payload: Payload | undefined,
): readonly Remark[] {
  if (payload === undefined || action === 'delete' || !isApprovable(entityType)) return [];
  const operation: Operation = approvedBy[entityType][action === 'create' ? 'create' : 'updateById'];
  const known = finders.get(operation.id) ?? createFindUnknown(operation);
  finders.set(operation.id, known);
  const { id: _id, version: _version, rowVersion: _rowVersion, ...values } = payload;
  const { publish: _publish, notes: _notes, ...ofFlow } = values;
  const remarks = known('', entityType === 'decisionFlow' ? ofFlow : values) ?? [];
  return remarks.map((remark) => ({ ...remark, path: `/payload${remark.path}` }));
}
