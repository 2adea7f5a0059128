import type { interactionListOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { listHistory } from './history-list.service.ts';
import { listReservations } from './reservation-list.service.ts';
import { listSummaries, readSummariesOfCustomer } from './summary-lists.service.ts';
import { summariseTenant } from './tenant-summary.service.ts';

export function interactionListRoutes(): Handlers<typeof interactionListOperations> {
  return {
    history: async (tx, { query }) => reply(200, await listHistory(tx, query)),
    summaries: async (tx, { query }) => reply(200, await listSummaries(tx, query)),
    summary: async (tx, { query }) => reply(200, await summariseTenant(tx, query)),
    ofCustomer: async (tx, { params, query }) =>
      reply(200, await readSummariesOfCustomer(tx, params.customerId, query)),
    reservations: async (tx, { params }) => reply(200, await listReservations(tx, params.customerId)),
  };
}
