import type { suppressionOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { sameId } from '../../catalogue/catalogue-records/index.ts';
import { listSuppressions, showSuppression, suppressionsOf } from './suppression-lists.service.ts';
import {
  changeSuppression,
  getSuppression,
  liftSuppression,
  type SuppressionPorts,
  setSuppression,
} from './suppressions.service.ts';

export function suppressionRoutes(ports: SuppressionPorts): Handlers<typeof suppressionOperations> {
  return {
    list: async (tx, { query }) => reply(200, await listSuppressions(tx, query)),
    async create(tx, { body }) {
      const { row, created } = await setSuppression(tx, body, ports);
      const shown = await showSuppression(tx, row);
      return created ? reply(201, shown) : reply(200, shown);
    },
    get: async (tx, { params }) => reply(200, await getSuppression(tx, params.id)),
    update: async (tx, { body: { id, ...changes } }) =>
      reply(200, await showSuppression(tx, await changeSuppression(tx, id, changes, ports))),
    async updateById(tx, { params, body: { id, ...changes } }) {
      const row = await changeSuppression(tx, sameId(params.id, id), changes, ports);
      return reply(200, await showSuppression(tx, row));
    },
    async delete(tx, { query }) {
      await liftSuppression(tx, query.id, ports);
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await liftSuppression(tx, params.id, ports);
      return reply(204, null);
    },
    async ofCustomer(tx, { params: { customerId }, query }) {
      const rows = await suppressionsOf(tx, customerId, query.includeExpired);
      const data = rows.map(({ customerId: _customer, ...row }) => row);
      return reply(200, { customerId, data, total: data.length });
    },
  };
}
