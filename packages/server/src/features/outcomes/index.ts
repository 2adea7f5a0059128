export { outcomeTypeRoutes } from './outcomes.routes.ts';
export { createOutcomeType } from './outcomes.service.ts';
export { insertSystemOutcomeTypes, type OutcomeTypeFacts, readOutcomeTypes } from './outcomes.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['outcome_types'];
