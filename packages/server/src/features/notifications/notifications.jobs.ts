import Type from 'typebox';
import type { Tx } from '../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../jobs/index.ts';
import { type DeliverDeps, deliver, type NewDelivery, storeDelivery } from './deliver.service.ts';
import { expireDeliveries } from './deliveries.store.ts';

/** Delivers one message: six tries, then it is a dead letter (docs/design/api-access.md 9). */
export const deliverJob = job({
  name: 'notification.deliver',
  payload: Type.Object({ deliveryId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes messages that nobody retried as long as their dead letters lived. */
export const expireDeliveriesJob = job({
  name: 'notifications.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '40 3 * * *', payload: {}, upkeep: true },
});

/** Sends a message in the background, once the transaction has committed. */
export const enqueueDelivery = (tx: Tx, delivery: NewDelivery): Promise<void> =>
  storeDelivery(tx, delivery, (inTx, deliveryId) => enqueueJob(inTx, deliverJob, { deliveryId }));

/** What the jobs need from outside. */
export type NotificationJobPorts = DeliverDeps;

/** How this feature's jobs are done. */
export const notificationJobs = (ports: NotificationJobPorts): JobHandler[] => [
  handleJob(deliverJob, ({ deliveryId }, { tenantId }) => deliver(ports, tenantId, deliveryId)),
  handleInSlices(expireDeliveriesJob, ports.database, expireDeliveries),
];
