import type { deliveryOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { listDeliveries, readDelivery } from './list.service.ts';

/** Handlers of this feature's operations. */
export const deliveryRoutes = (): Handlers<typeof deliveryOperations> => ({
  list: async (tx, { query }) => reply(200, await listDeliveries(tx, query)),
  get: async (tx, { params }) => reply(200, await readDelivery(tx, params.id)),
});
