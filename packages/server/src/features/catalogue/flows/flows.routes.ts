import {
  cataloguePage,
  type decisionFlowAssemblyOperations,
  type decisionFlowExchangeOperations,
  type decisionFlowOperations,
  type decisionFlowVersionOperations,
  pageSize,
} from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { type LockDependants, type RouteColumn, recordHandlers } from '../catalogue-records/index.ts';
import type { AppendEvents } from '../schemas/index.ts';
import { readAssemblyLog } from './assembly.service.ts';
import { inspectDraft, tellConflicts, tellFailedTests } from './flow-check.ts';
import { exportFlow, importFlow } from './flow-exchange.service.ts';
import type { FindFailedTests, FindFlowConflicts, FlowPorts } from './flow-ports.ts';
import { diffFlowVersions, readVersions, restoreVersion, type VersionName } from './flow-versions.service.ts';
import { publishedEvent } from './flows.events.ts';
import {
  createFlow,
  deleteFlow,
  ensureBaseFlow,
  publishFlow,
  showFlow,
  showFlows,
  updateFlow,
} from './flows.service.ts';
import { flowSpec } from './flows.store.ts';

/** Ports of the process, and for the features above. */
export interface FlowRoutePorts extends FlowPorts {
  readonly lockRoutes: LockDependants<RouteColumn>;
  readonly appendEvents: AppendEvents;
  readonly findingsOfFlow: FindFlowConflicts;
  readonly failedTestsOfFlow: FindFailedTests;
}

export const flowRecordRoutes = (ports: FlowRoutePorts) =>
  recordHandlers(flowSpec, {
    show: showFlows,
    create: (tx, body) => createFlow(tx, body, ports),
    change: (tx, id, rowVersion, changes) => updateFlow(tx, id, rowVersion, changes, ports),
    remove: async (tx, id, addressed) => reply(200, await deleteFlow(tx, id, addressed, ports.lockRoutes)),
  });

export function decisionFlowRoutes(ports: FlowRoutePorts): Handlers<typeof decisionFlowOperations> {
  return {
    ...flowRecordRoutes(ports),
    publish: async (tx, { body }) => {
      const flow = await publishFlow(tx, body, ports);
      await ports.appendEvents(tx, [publishedEvent(tx, flow)]);
      await tellConflicts(tx, flow, ports);
      await tellFailedTests(tx, flow, ports);
      return reply(200, await showFlow(tx, flow));
    },
    validate: async (tx, { body }) => reply(200, await inspectDraft(tx, body.draftConfig, body.id ?? null, ports)),
    versions: async (tx, { query }) => reply(200, await readVersions(tx, query.id, query.version)),
    ensureBase: async (tx) => {
      const { flowId, created } = await ensureBaseFlow(tx);
      return created ? reply(201, { flowId, created: true as const }) : reply(200, { flowId, created: false as const });
    },
  };
}

/** A version as a query names it, after its pattern was checked. */
const versionNamed = (text: string): VersionName => (text === 'draft' ? text : Number(text));

export function decisionFlowVersionRoutes(): Handlers<typeof decisionFlowVersionOperations> {
  return {
    diff: async (tx, { params, query }) =>
      reply(200, await diffFlowVersions(tx, params.id, versionNamed(query.from), versionNamed(query.to))),
    restoreVersion: async (tx, { body }) => reply(200, await showFlow(tx, await restoreVersion(tx, body))),
  };
}

export function decisionFlowAssemblyRoutes(): Handlers<typeof decisionFlowAssemblyOperations> {
  return {
    assemblyLog: async (tx, { params, query }) => {
      const limit = pageSize(cataloguePage, query.limit);
      return reply(200, await readAssemblyLog(tx, params.id, { limit, cursor: query.cursor ?? null }));
    },
  };
}

export function decisionFlowExchangeRoutes(ports: FlowPorts): Handlers<typeof decisionFlowExchangeOperations> {
  return {
    export: async (tx, { params, query: { version = 'draft' } }) =>
      reply(200, await exportFlow(tx, params.id, version === 'published' ? version : versionNamed(version))),
    import: async (tx, { body }) => reply(201, await showFlow(tx, await importFlow(tx, body, ports))),
  };
}
