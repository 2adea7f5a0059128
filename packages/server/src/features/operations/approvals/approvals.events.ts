import { approvalActions, approvalStatuses } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent } from '../../../jobs/index.ts';
import { appendEvents } from '../stream/index.ts';
import type { ApprovalRow } from './approvals.store.ts';

/** A request waits no more: it was approved and applied, rejected, or has expired (docs/design/api-access.md 12.1). */
export const approvalResolved = event({
  type: 'approval.resolved.v1',
  payload: Type.Object(
    {
      approvalId: Type.String({ format: 'uuid', description: 'Id of the request.' }),
      entityType: Type.String({ description: 'Kind of record.' }),
      entityId: Type.String({ description: 'Id of the record, as in the request.' }),
      action: Type.Enum(approvalActions, { description: 'Requested change.' }),
      oldStatus: Type.Literal('pending', { description: 'Previous status of the request.' }),
      newStatus: Type.Enum(approvalStatuses, { description: 'New status of the request.' }),
      appliedEntityId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
        description: 'Id of the changed record; null if nothing changed.',
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
