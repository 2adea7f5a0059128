import { deliverySources, deliveryStatuses } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent } from '../../../jobs/index.ts';
import { appendEvents } from '../../operations/stream/index.ts';
import type { DeliveryRow } from './deliveries.store.ts';

const optionalId = (description: string) => Type.Union([Type.String({ format: 'uuid' }), Type.Null()], { description });

/** A delivery changed its status (docs/design/api-access.md 12.1). */
export const deliveryUpdated = event({
  type: 'delivery.updated.v1',
  payload: Type.Object(
    {
      deliveryId: Type.String({ format: 'uuid', description: 'Delivery.' }),
      customerId: Type.String({ minLength: 1, description: 'Customer.' }),
      offerId: Type.String({ format: 'uuid', description: 'Offer.' }),
      creativeId: optionalId('Creative, or null.'),
      channelId: Type.String({ format: 'uuid', description: 'Channel.' }),
      source: Type.Enum(deliverySources, { description: 'What queued it.' }),
      campaignId: optionalId('Campaign that queued it, or null.'),
      runId: optionalId('Campaign run that queued it, or null.'),
      journeyId: optionalId('Journey that queued it, or null.'),
      triggerId: optionalId('Trigger that queued it, or null.'),
      oldStatus: Type.Enum(deliveryStatuses, { description: 'Status before.' }),
      newStatus: Type.Enum(deliveryStatuses, { description: 'Status now.' }),
      error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed, or null.' }),
    },
    { additionalProperties: false },
  ),
});

/** Publishes that deliveries changed their status. `rows` are as they were before. */
export async function publishUpdates(
  tx: Tx,
  updates: readonly { readonly before: DeliveryRow; readonly after: Pick<DeliveryRow, 'status' | 'error'> }[],
): Promise<void> {
  const events = updates.map(({ before, after }) =>
    newEvent(tx, deliveryUpdated, {
      deliveryId: before.id,
      customerId: before.customerId,
      offerId: before.offerId,
      creativeId: before.creativeId,
      channelId: before.channelId,
      source: before.source,
      campaignId: before.campaignId,
      runId: before.runId,
      journeyId: before.journeyId,
      triggerId: before.triggerId,
      oldStatus: before.status,
      newStatus: after.status,
      error: after.error,
    }),
  );
  if (events.length > 0) await appendEvents(tx, events);
}
