export { decisionMade } from './decisions.events.ts';
export { decisionJobs } from './decisions.jobs.ts';
export { type DecisionRouteDeps, decisionRoutes } from './decisions.routes.ts';
export { createDecisionService, type DecisionService } from './decisions.service.ts';
export { createDecisionMetrics } from './metrics.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['decision_requests', 'decision_traces', 'response_keys'];
