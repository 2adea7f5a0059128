import {
  decisionFlowExchangeOperations,
  decisionFlowOperations,
  decisionFlowVersionOperations,
} from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import type { FlowPorts } from './flow-ports.ts';
import { decisionFlowExchangeRoutes, decisionFlowRoutes, decisionFlowVersionRoutes } from './flows.routes.ts';

export { type FlowDirectory, flowDirectory, type RunnableFlow, readFlowDirectory } from './flow-directory.ts';
export type { FlowPorts } from './flow-ports.ts';
export { createFlow, ensureBaseFlow, flowsNamingPolicy, publishFlow } from './flows.service.ts';
export { selectFlowsContaining, selectLiveConfigs } from './flows.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decision_flows', 'flow_secrets', 'flow_versions'];

export const flowsFeature = feature({
  name: 'flows',
  tables,
  operations: (ports: FlowPorts) => [
    ...handlerEntries(decisionFlowOperations, decisionFlowRoutes(ports)),
    ...handlerEntries(decisionFlowVersionOperations, decisionFlowVersionRoutes()),
    ...handlerEntries(decisionFlowExchangeOperations, decisionFlowExchangeRoutes(ports)),
  ],
});
