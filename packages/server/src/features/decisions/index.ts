export { type DecisionRouteDeps, decisionRoutes } from './decisions.routes.ts';
export { createDecisionService, type DecisionService } from './decisions.service.ts';
export { expireRequests, expireResponseKeys } from './key-expiry.store.ts';
export { createDecisionMetrics } from './metrics.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['decision_requests', 'decision_traces', 'response_keys'];
