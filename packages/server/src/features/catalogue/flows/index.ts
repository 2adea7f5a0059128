import {
  decisionFlowAssemblyOperations,
  decisionFlowExchangeOperations,
  decisionFlowOperations,
  decisionFlowVersionOperations,
} from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { searchable } from '../catalogue-records/index.ts';
import { flowPublished } from './flows.events.ts';
import {
  decisionFlowAssemblyRoutes,
  decisionFlowExchangeRoutes,
  decisionFlowRoutes,
  decisionFlowVersionRoutes,
  type FlowRoutePorts,
} from './flows.routes.ts';
import { restorableFlow } from './flows.service.ts';
import { flowSpec } from './flows.store.ts';

export { forgetAssemblySince, markAssembly, noteForAssembly } from './assembly.service.ts';
export {
  type FlowDirectory,
  flowDirectory,
  offerStatusesOf,
  type RunnableFlow,
  readFlowDirectory,
} from './flow-directory.ts';
export type { FlowPorts } from './flow-ports.ts';
export { enabledNodes, entityTypes, nameColumns } from './flow-references.store.ts';
export { flowConfigToTry, flowVersionToTry, publishedFlowVersion } from './flow-trial.service.ts';
export type { FlowRoutePorts } from './flows.routes.ts';
export { createFlow, ensureBaseFlow, flowsNamingPolicy, publishFlow } from './flows.service.ts';
export {
  asFlowConfig,
  flowSpec,
  flowsScoringBy,
  hasFlowWithKey,
  selectFlowsContaining,
  selectIdsByKey,
  selectKnownIds,
  selectLiveConfigs,
} from './flows.store.ts';
export { type ReadyWebhook, readyWebhook } from './ready-webhook.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decision_flows', 'flow_assembly_runs', 'flow_secrets', 'flow_versions'];

export const flowsFeature = feature({
  name: 'flows',
  tables,
  searches: [searchable(flowSpec, { detail: 'key' })],
  events: [flowPublished],
  resets: {
    empties: ['decision_flows', 'flow_assembly_runs', 'flow_secrets'],
    emptiesHistory: ['flow_versions'],
  },
  restores: [restorableFlow],
  operations: (ports: FlowRoutePorts) => [
    ...handlerEntries(decisionFlowOperations, decisionFlowRoutes(ports)),
    ...handlerEntries(decisionFlowVersionOperations, decisionFlowVersionRoutes()),
    ...handlerEntries(decisionFlowAssemblyOperations, decisionFlowAssemblyRoutes()),
    ...handlerEntries(decisionFlowExchangeOperations, decisionFlowExchangeRoutes(ports)),
  ],
});
