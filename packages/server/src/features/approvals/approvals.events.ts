import { approvalActions, approvalStatuses } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../db/tx.ts';
import { event, newEvent } from '../../jobs/index.ts';
import { appendEvents } from '../stream/index.ts';
import type { ApprovalRow } from './approvals.store.ts';

/** A request waits no more: it was approved and applied, rejected, or has expired (docs/design/api-access.md 12.1). */
export const approvalResolved = event({
  type: 'approval.resolved.v1',
  payload: Type.Object(
    {
      approvalId: Type.String({ format: 'uuid', description: 'The request.' }),
      entityType: Type.String({ description: 'Kind of the record that it was about.' }),
      entityId: Type.String({ description: 'Id of that record, as the request names it.' }),
      action: Type.Enum(approvalActions, { description: 'What was asked for.' }),
      oldStatus: Type.Literal('pending', { description: 'State of the request before.' }),
      newStatus: Type.Enum(approvalStatuses, { description: 'State of the request now.' }),
      appliedEntityId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
        description: 'The record that was changed; null when nothing was.',
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
