export { type FlowDirectory, flowDirectory, type RunnableFlow, readFlowDirectory } from './flow-directory.ts';
export { decisionFlowRoutes } from './flows.routes.ts';
export { createFlow, ensureBaseFlow, flowsNamingPolicy, publishFlow } from './flows.service.ts';
export { selectFlowsContaining } from './flows.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['decision_flows', 'flow_versions'];
