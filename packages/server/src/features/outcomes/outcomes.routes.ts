import type { outcomeTypeOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { getRecord, type ListOrder, listRecords, sameId, toWire } from '../records/index.ts';
import { changeOutcomeType, createOutcomeType, deleteOutcomeType } from './outcomes.service.ts';
import { outcomeTypeSpec } from './outcomes.store.ts';

const listOrder: ListOrder = { keys: [{ column: 'ordinal', kind: 'integer', direction: 'asc' }], ids: 'asc' };

export function outcomeTypeRoutes(): Handlers<typeof outcomeTypeOperations> {
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, outcomeTypeSpec, {
        order: listOrder,
        defaultLimit: 100,
        maximumLimit: 200,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        includeDeleted: query.includeDeleted,
        filters: { status: query.status, classification: query.classification, category: query.category },
      });
      return reply(200, { data: rows.map(toWire), pagination });
    },
    async create(tx, { body }) {
      return reply(201, toWire(await createOutcomeType(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, toWire(await getRecord(tx, outcomeTypeSpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, toWire(await changeOutcomeType(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, toWire(await changeOutcomeType(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deleteOutcomeType(tx, query.id, 'query');
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deleteOutcomeType(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}
