export { outcomeTypeRoutes } from './outcomes.routes.ts';
export { insertSystemOutcomeTypes, type OutcomeTypeFacts, readOutcomeTypes } from './outcomes.store.ts';
