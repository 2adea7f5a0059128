export { type FlowDirectory, flowDirectory, type RunnableFlow, readFlowDirectory } from './flow-directory.ts';
export { decisionFlowRoutes } from './flows.routes.ts';
export { createFlow, ensureBaseFlow, flowsNamingPolicy, publishFlow } from './flows.service.ts';
export { selectFlowsContaining } from './flows.store.ts';
