import { defaultPage, pageSize, type userOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { invalid } from '../../../platform/app-error.ts';
import { changePerson, deactivatePerson, reactivatePerson, unlockPerson } from './people.service.ts';
import { getUser, listUsers } from './users.service.ts';

/** Handlers of the people of a tenant (docs/design/api-access.md 5.2). */
export function userRoutes(): Handlers<typeof userOperations> {
  return {
    list: async (tx, { query }) => {
      const search = query.search ?? query.q ?? null;
      const filter = { search, role: query.role ?? null, status: query.status ?? null };
      const limit = pageSize(defaultPage, query.limit);
      return reply(200, await listUsers(tx, filter, { limit, cursor: query.cursor ?? null }));
    },
    get: async (tx, { params }) => reply(200, await getUser(tx, params.id)),
    update: async (tx, { params, body }) => {
      if (body.id !== undefined && body.id !== params.id) throw invalid('/id', 'must be the ID in the path');
      return reply(200, await changePerson(tx, params.id, body));
    },
    deactivate: async (tx, { params }) => {
      await deactivatePerson(tx, params.id);
      return reply(204, null);
    },
    reactivate: async (tx, { params }) => {
      await reactivatePerson(tx, params.id);
      return reply(200, await getUser(tx, params.id));
    },
    unlock: async (tx, { params }) => {
      await unlockPerson(tx, params.id);
      return reply(200, await getUser(tx, params.id));
    },
  };
}
