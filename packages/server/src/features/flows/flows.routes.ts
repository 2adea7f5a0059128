import type { decisionFlowOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { sameId } from '../records/index.ts';
import { inspectDraft } from './flow-check.ts';
import {
  createFlow,
  deleteFlow,
  ensureBaseFlow,
  listFlows,
  publishFlow,
  readFlow,
  readVersions,
  updateFlow,
} from './flows.service.ts';

export function decisionFlowRoutes(): Handlers<typeof decisionFlowOperations> {
  return {
    list: async (tx, { query: { limit, cursor, includeDeleted, search, q, ...filters } }) =>
      reply(200, await listFlows(tx, filters, { limit, cursor, includeDeleted, search: search ?? q })),
    create: async (tx, { body }) => reply(201, await createFlow(tx, body)),
    get: async (tx, { params, query }) => reply(200, await readFlow(tx, params.id, query.includeDeleted)),
    update: async (tx, { body }) => reply(200, await updateFlow(tx, body)),
    updateById: async (tx, { params, body }) =>
      reply(200, await updateFlow(tx, { ...body, id: sameId(params.id, body.id) })),
    delete: async (tx, { query }) => reply(200, await deleteFlow(tx, query.id, 'query')),
    deleteById: async (tx, { params }) => reply(200, await deleteFlow(tx, params.id, 'path')),
    publish: async (tx, { body }) => reply(200, await publishFlow(tx, body)),
    validate: async (tx, { body }) => reply(200, await inspectDraft(tx, body.draftConfig, body.id ?? null)),
    versions: async (tx, { query }) => reply(200, await readVersions(tx, query.id, query.version)),
    ensureBase: async (tx) => {
      const { flowId, created } = await ensureBaseFlow(tx);
      return created ? reply(201, { flowId, created: true as const }) : reply(200, { flowId, created: false as const });
    },
  };
}
