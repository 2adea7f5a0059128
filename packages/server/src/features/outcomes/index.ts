export { outcomeTypeRoutes } from './outcomes.routes.ts';
export { createOutcomeType } from './outcomes.service.ts';
export { insertSystemOutcomeTypes, type OutcomeTypeFacts, readOutcomeTypes } from './outcomes.store.ts';
