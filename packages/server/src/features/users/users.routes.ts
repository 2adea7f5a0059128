import { pageSize, type userOperations, userPage } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { getUser, listUsers } from './users.service.ts';

/** Handlers of the people of a tenant, read only (docs/design/api-access.md 5.2, docs/design/api-settled.md 6). */
export function userRoutes(): Handlers<typeof userOperations> {
  return {
    list: async (tx, { query }) => {
      const search = query.search ?? query.q ?? null;
      const filter = { search, role: query.role ?? null, status: query.status ?? null };
      const limit = pageSize(userPage, query.limit);
      return reply(200, await listUsers(tx, filter, { limit, cursor: query.cursor ?? null }));
    },
    get: async (tx, { params }) => reply(200, await getUser(tx, params.id)),
  };
}
