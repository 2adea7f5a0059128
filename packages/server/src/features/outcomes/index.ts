import { outcomeTypeOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { outcomeTypeRoutes } from './outcomes.routes.ts';
import { insertSystemOutcomeTypes } from './outcomes.store.ts';

export { createOutcomeType } from './outcomes.service.ts';
export { hasOutcomeType, insertSystemOutcomeTypes, type OutcomeTypeFacts, readOutcomeTypes } from './outcomes.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['outcome_types'];

export const outcomesFeature = feature({
  name: 'outcomes',
  tables,
  onTenantCreated: [insertSystemOutcomeTypes],
  operations: () => handlerEntries(outcomeTypeOperations, outcomeTypeRoutes()),
});
