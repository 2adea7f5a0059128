import type { decisionFlowOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { recordHandlers } from '../catalogue-records/index.ts';
import { inspectDraft } from './flow-check.ts';
import {
  createFlow,
  deleteFlow,
  ensureBaseFlow,
  publishFlow,
  readVersions,
  showFlow,
  showFlows,
  updateFlow,
} from './flows.service.ts';
import { flowSpec } from './flows.store.ts';

export const flowRecordRoutes = () =>
  recordHandlers(flowSpec, {
    show: showFlows,
    create: createFlow,
    change: updateFlow,
    remove: async (tx, id, addressed) => reply(200, await deleteFlow(tx, id, addressed)),
  });

export function decisionFlowRoutes(): Handlers<typeof decisionFlowOperations> {
  return {
    ...flowRecordRoutes(),
    publish: async (tx, { body }) => reply(200, await showFlow(tx, await publishFlow(tx, body))),
    validate: async (tx, { body }) => reply(200, await inspectDraft(tx, body.draftConfig, body.id ?? null)),
    versions: async (tx, { query }) => reply(200, await readVersions(tx, query.id, query.version)),
    ensureBase: async (tx) => {
      const { flowId, created } = await ensureBaseFlow(tx);
      return created ? reply(201, { flowId, created: true as const }) : reply(200, { flowId, created: false as const });
    },
  };
}
