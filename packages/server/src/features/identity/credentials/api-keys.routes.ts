import { type apiKeyOperations, defaultPage, pageSize } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { Pepper } from './api-keys.rules.ts';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-keys.service.ts';

/** Handlers of the API keys (docs/design/api-access.md 4.1). */
export function apiKeyRoutes(deps: { readonly pepper: Pepper }): Handlers<typeof apiKeyOperations> {
  return {
    create: async (tx, { body }) => {
      const created = await createApiKey(tx, deps.pepper, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.scopes === undefined ? {} : { scopes: body.scopes }),
        expiresAt: body.expiresAt === undefined || body.expiresAt === null ? null : new Date(body.expiresAt),
      });
      return reply(201, created);
    },
    list: async (tx, { query }) => {
      const limit = pageSize(defaultPage, query.limit);
      const page = await listApiKeys(tx, { limit, cursor: query.cursor ?? null });
      return reply(200, { ...page, total: page.pagination.total });
    },
    get: async (tx, { params }) => reply(200, await getApiKey(tx, params.id)),
    revoke: async (tx, { params, body }) => {
      await revokeApiKey(tx, params.id, body?.reason);
      return reply(204, null);
    },
    revokeByQuery: async (tx, { query, body }) => {
      await revokeApiKey(tx, query.id, body?.reason);
      return reply(204, null);
    },
  };
}
