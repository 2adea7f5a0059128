import { deliveryOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { deliveryUpdated } from './deliveries.events.ts';
import { deliveryJobs, retainDeliveries } from './deliveries.jobs.ts';
import { deliveryRoutes } from './deliveries.routes.ts';
import { eraseDeliveries } from './deliveries.store.ts';
import type { SendDeps } from './send.service.ts';

export { type CallbackChannel, readCallbackUrl } from './callback-url.ts';
export { holdReports } from './early.service.ts';
export { publicAddresses, type SesAccess } from './providers/provider.ts';
export { type NewDelivery, queueDeliveries, queueDelivery } from './queue.service.ts';
export { applyReports, type DeliveryReport } from './reported.service.ts';
export { findMessages, type KnownMessage } from './reported.store.ts';
export { countRunDeliveries, type RunDeliveries, selectStatuses } from './run-figures.store.ts';
export { createDeliverySender, type DeliverySender, type SenderDeps } from './sender.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['deliveries', 'delivery_events', 'early_delivery_events'];

export const deliveriesFeature = feature({
  name: 'deliveries',
  tables,
  events: [deliveryUpdated],
  resets: {
    empties: ['delivery_events', 'deliveries'],
    keeps: { early_delivery_events: 'events of messages that no tenant has yet' },
  },
  erases: [
    {
      tables: ['deliveries'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ deliveries: await eraseDeliveries(tx, customerId) }),
    },
  ],
  retains: [{ dataClass: 'interactions', counted: 'history', remove: retainDeliveries }],
  operations: () => handlerEntries(deliveryOperations, deliveryRoutes()),
  jobs: (ports: SendDeps) => deliveryJobs(ports),
});
