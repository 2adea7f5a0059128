import { approvalActions, approvalStatuses, roles } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent } from '../../../jobs/index.ts';
import { appendEvents } from '../stream/index.ts';
import { openStage } from './approvals.rules.ts';
import type { ApprovalRow, StageRow } from './approvals.store.ts';

const approvalFields = {
  approvalId: Type.String({ format: 'uuid', description: 'ID of the request.' }),
  entityType: Type.String({ description: 'Kind of record.' }),
  entityId: Type.String({ description: 'ID of the record, as in the request.' }),
  action: Type.Enum(approvalActions, { description: 'Requested change.' }),
};

/** A request waits for its next decision: it was filed, or passed a stage. An extension of docs/design/api-access.md 12.1. */
export const approvalRequested = event({
  type: 'approval.requested.v1',
  payload: Type.Object(
    {
      ...approvalFields,
      stage: Type.Integer({ description: 'Number of the open stage, from 1.' }),
      requiredRole: Type.Enum(roles, { description: 'Minimum role of its approver.' }),
    },
    { additionalProperties: false },
  ),
});

/** Announces a waiting request in the tenant's stream. */
export async function announceRequested(tx: Tx, row: ApprovalRow, stages: readonly StageRow[]): Promise<void> {
  const open = openStage(row.status, stages);
  if (open === undefined) return;
  const { id: approvalId, entityType, entityId, action } = row;
  const { ordinal: stage, requiredRole } = open;
  await appendEvents(tx, [
    newEvent(tx, approvalRequested, { approvalId, entityType, entityId, action, stage, requiredRole }),
  ]);
}

/** A request waits no more: it was approved and applied, rejected, or has expired (docs/design/api-access.md 12.1). */
export const approvalResolved = event({
  type: 'approval.resolved.v1',
  payload: Type.Object(
    {
      ...approvalFields,
      oldStatus: Type.Literal('pending', { description: 'Previous status of the request.' }),
      newStatus: Type.Enum(approvalStatuses, { description: 'New status of the request.' }),
      appliedEntityId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
        description: 'ID of the changed record; null if nothing changed.',
      }),
    },
    { additionalProperties: false },
  ),
});

/** Tells the tenant's stream of requests that ended in this transaction. */
export async function tellResolved(tx: Tx, rows: readonly ApprovalRow[]): Promise<void> {
  const events = rows.map(({ id, entityType, entityId, action, status, appliedEntityId }) =>
    newEvent(tx, approvalResolved, {
      approvalId: id,
      entityType,
      entityId,
      action,
      oldStatus: 'pending',
      newStatus: status,
      appliedEntityId,
    }),
  );
  await appendEvents(tx, events);
}
