import Type from 'typebox';
import type { Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { type DeliverDeps, deliver, type NewDelivery, storeDelivery } from './deliver.service.ts';
import { countWaiting, expireDeliveries } from './deliveries.store.ts';

/** Delivers one message: six attempts, then it's a dead letter (docs/design/api-access.md 9). */
export const deliverJob = job({
  name: 'notification.deliver',
  payload: Type.Object({ deliveryId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes messages that weren't retried while their dead letters existed. */
const expireDeliveriesJob = job({
  name: 'notifications.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '40 3 * * *', payload: {}, upkeep: true },
});

/**
 * Messages of one tenant per turn. Its next ones follow a turn of all other tenants, so that tenants with few messages
 * don't wait for one that sends thousands at once.
 */
const messagesInTurn = 10;
const lastTurn = 100;

/** Sends a message in the background, once the transaction has committed. */
export const enqueueDelivery = (tx: Tx, delivery: NewDelivery): Promise<void> =>
  storeDelivery(tx, delivery, async (inTx, deliveryId) => {
    // The message itself is among them.
    const ahead = (await countWaiting(inTx, messagesInTurn * lastTurn + 1)) - 1;
    await enqueueJob(inTx, deliverJob, { deliveryId }, { turn: Math.floor(ahead / messagesInTurn) });
  });

/** What the jobs need from outside. */
export type NotificationJobPorts = DeliverDeps;

/** Returns this feature's jobs with their handlers. */
export const notificationJobs = (ports: NotificationJobPorts): JobHandler[] => [
  handleJob(deliverJob, ({ deliveryId }, { tenantId }) => deliver(ports, tenantId, deliveryId)),
  handleInSlices(expireDeliveriesJob, ports.database, expireDeliveries),
];
