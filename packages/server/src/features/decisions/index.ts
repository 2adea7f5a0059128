export { type DecisionRouteDeps, decisionRoutes } from './decisions.routes.ts';
export { createDecisionService, type DecisionService } from './decisions.service.ts';
export { expireRequests, expireResponseKeys } from './key-expiry.ts';
export { createDecisionMetrics } from './metrics.ts';
