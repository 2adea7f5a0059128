import { deliveryOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { deliveryRoutes } from './deliveries.routes.ts';

export type { DeliveryGuarantee } from './deliveries.store.ts';
export { type DeliveryOrigin, type NewDelivery, queueDeliveries, queueDelivery } from './queue.service.ts';
export { countRunDeliveries, type RunDeliveries, selectStatuses } from './run-figures.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['deliveries', 'delivery_events'];

export const deliveriesFeature = feature({
  name: 'deliveries',
  tables,
  resets: { empties: ['delivery_events', 'deliveries'] },
  operations: () => handlerEntries(deliveryOperations, deliveryRoutes()),
});
