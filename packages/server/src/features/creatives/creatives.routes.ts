import type { creativeOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { sameId } from '../records/index.ts';
import { createCreative, deleteCreative, listCreatives, readCreative, updateCreative } from './creatives.service.ts';

export function creativeRoutes(): Handlers<typeof creativeOperations> {
  return {
    list: async (tx, { query: { limit, cursor, includeDeleted, search, q, ...filters } }) =>
      reply(200, await listCreatives(tx, filters, { limit, cursor, includeDeleted, search: search ?? q })),
    create: async (tx, { body }) => reply(201, await createCreative(tx, body)),
    get: async (tx, { params, query }) => reply(200, await readCreative(tx, params.id, query.includeDeleted)),
    update: async (tx, { body }) => reply(200, await updateCreative(tx, body)),
    updateById: async (tx, { params, body }) =>
      reply(200, await updateCreative(tx, { ...body, id: sameId(params.id, body.id) })),
    delete: async (tx, { query }) => reply(200, await deleteCreative(tx, query.id, 'query')),
    deleteById: async (tx, { params }) => reply(200, await deleteCreative(tx, params.id, 'path')),
  };
}
