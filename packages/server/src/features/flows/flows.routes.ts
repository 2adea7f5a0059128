import type { decisionFlowOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { type LockDependants, type RouteColumn, recordHandlers } from '../catalogue-records/index.ts';
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

/** Ports for the features above. */
export interface FlowPorts {
  readonly lockRoutes: LockDependants<RouteColumn>;
}

export const flowRecordRoutes = ({ lockRoutes }: FlowPorts) =>
  recordHandlers(flowSpec, {
    show: showFlows,
    create: createFlow,
    change: updateFlow,
    remove: async (tx, id, addressed) => reply(200, await deleteFlow(tx, id, addressed, lockRoutes)),
  });

export function decisionFlowRoutes(ports: FlowPorts): Handlers<typeof decisionFlowOperations> {
  return {
    ...flowRecordRoutes(ports),
    publish: async (tx, { body }) => reply(200, await showFlow(tx, await publishFlow(tx, body))),
    validate: async (tx, { body }) => reply(200, await inspectDraft(tx, body.draftConfig, body.id ?? null)),
    versions: async (tx, { query }) => reply(200, await readVersions(tx, query.id, query.version)),
    ensureBase: async (tx) => {
      const { flowId, created } = await ensureBaseFlow(tx);
      return created ? reply(201, { flowId, created: true as const }) : reply(200, { flowId, created: false as const });
    },
  };
}
