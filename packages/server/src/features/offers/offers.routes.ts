import type { offerOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { sameId } from '../records/index.ts';
import {
  createOffer,
  deleteOffer,
  listOffers,
  type OfferDependants,
  readOffer,
  updateOffer,
} from './offers.service.ts';

export interface OfferDeps {
  readonly dependants: OfferDependants;
}

export function offerRoutes({ dependants }: OfferDeps): Handlers<typeof offerOperations> {
  return {
    list: async (tx, { query: { limit, cursor, includeDeleted, search, q, ...filters } }) =>
      reply(200, await listOffers(tx, filters, { limit, cursor, includeDeleted, search: search ?? q })),
    create: async (tx, { body }) => reply(201, await createOffer(tx, body)),
    get: async (tx, { params, query }) => reply(200, await readOffer(tx, params.id, query.includeDeleted)),
    update: async (tx, { body }) => reply(200, await updateOffer(tx, body)),
    updateById: async (tx, { params, body }) =>
      reply(200, await updateOffer(tx, { ...body, id: sameId(params.id, body.id) })),
    delete: async (tx, { query }) => reply(200, await deleteOffer(tx, query.id, 'query', dependants)),
    deleteById: async (tx, { params }) => reply(200, await deleteOffer(tx, params.id, 'path', dependants)),
  };
}
