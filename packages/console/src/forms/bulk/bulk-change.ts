import { call } from '../../data/call.ts';
import { codeOf, failureOf } from '../../data/failure.ts';
import { needsApproval } from '../editing/approval-need.ts';
import type { Values } from '../editing/changes.ts';
import { fileApproval } from '../editing/use-approval-request.ts';
import type { BulkChanges } from './bulk-fields.ts';

/** A row of a list. */
export interface BulkTarget extends Values {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Sets properties of one record, or requests approval if it needs one. Throws what `call` throws. */
export async function changeOne(
  { list, get, updateById }: BulkChanges['operations'],
  row: BulkTarget,
  change: Values,
  isRetry: boolean,
): Promise<'done' | 'requested'> {
  const entityType = list.resource?.entityType;
  const request = async (): Promise<'requested'> => {
    const target = { entityType: entityType ?? '', entityId: row.id, entityName: row.name, action: 'update' } as const;
    await fileApproval({ ...target, payload: change }, crypto.randomUUID());
    return 'requested';
  };
  if (needsApproval({ operation: updateById, entityType, before: row, after: { ...row, ...change } })) return request();
  const { version } = isRetry ? ((await call(get, { params: { id: row.id } })) as BulkTarget) : row;
  try {
    await call(updateById, { params: { id: row.id }, body: { ...change, rowVersion: version } });
    return 'done';
  } catch (error) {
    if (codeOf(failureOf(error)) === 'approval_required') return request();
    throw error;
  }
}

/** Deletes one record. Throws what `call` throws. */
export async function deleteOne({ deleteById }: BulkChanges['operations'], id: string): Promise<'done'> {
  await call(deleteById, { params: { id } });
  return 'done';
}
