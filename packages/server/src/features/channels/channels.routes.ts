import type { channelOperations, placementOperations } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { type Handlers, reply } from '../../http/handler.ts';
import { getRecord, type ListOrder, listRecords, newestFirst, sameId } from '../records/index.ts';
import { changeChannel, createChannel, deleteChannel, showChannels } from './channels.service.ts';
import { type ChannelRow, channelSpec, type PlacementRow, placementSpec } from './channels.store.ts';
import { changePlacement, createPlacement, deletePlacement, showPlacements } from './placements.service.ts';

const byName: ListOrder = { keys: [{ column: 'name', kind: 'text', direction: 'asc' }], ids: 'asc' };

export function channelRoutes(): Handlers<typeof channelOperations> {
  const show = async (tx: Tx, row: ChannelRow) => (await showChannels(tx, [row]))[0]!;
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, channelSpec, {
        order: newestFirst,
        defaultLimit: 25,
        maximumLimit: 200,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        includeDeleted: query.includeDeleted,
        filters: { status: query.status, channelType: query.channelType },
      });
      return reply(200, { data: await showChannels(tx, rows), pagination });
    },
    async create(tx, { body }) {
      return reply(201, await show(tx, await createChannel(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, await show(tx, await getRecord(tx, channelSpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeChannel(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeChannel(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deleteChannel(tx, query.id, 'query');
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deleteChannel(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}

export function placementRoutes(): Handlers<typeof placementOperations> {
  const show = async (tx: Tx, row: PlacementRow) => (await showPlacements(tx, [row]))[0]!;
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, placementSpec, {
        order: byName,
        defaultLimit: 25,
        maximumLimit: 200,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        includeDeleted: query.includeDeleted,
        filters: { channelId: query.channelId, status: query.status },
      });
      return reply(200, { data: await showPlacements(tx, rows), pagination });
    },
    async create(tx, { body }) {
      return reply(201, await show(tx, await createPlacement(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, await show(tx, await getRecord(tx, placementSpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changePlacement(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changePlacement(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deletePlacement(tx, query.id, 'query');
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deletePlacement(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}
