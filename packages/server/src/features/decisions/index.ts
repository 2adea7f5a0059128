export { type CustomerKeys, createCustomerKeys } from './customer-keys.ts';
export { type DecisionRouteDeps, decisionRoutes } from './decisions.routes.ts';
export { createDecisionService, type DecisionDeps, type DecisionService } from './decisions.service.ts';
export { expireRequests, expireResponseKeys } from './key-expiry.ts';
export { createDecisionMetrics, type DecisionMetrics } from './metrics.ts';
export { createOutboxDispatcher, type OutboxDispatcher } from './outbox.ts';
export { expireReservations } from './records.store.ts';
export { expireStream } from './stream-expiry.ts';
