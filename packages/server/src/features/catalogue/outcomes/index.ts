import { outcomeTypeOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { outcomeTypeRoutes } from './outcomes.routes.ts';
import { deleteCustomOutcomeTypes, insertSystemOutcomeTypes, outcomeTypeSpec } from './outcomes.store.ts';

export { createOutcomeType } from './outcomes.service.ts';
export {
  deletedOutcomeType,
  hasOutcomeType,
  insertSystemOutcomeTypes,
  type OutcomeTypeFacts,
  outcomeKeys,
  readOutcomeTypes,
} from './outcomes.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['outcome_types'];

export const outcomesFeature = feature({
  name: 'outcomes',
  tables,
  searches: [searchable(outcomeTypeSpec, { detail: 'key' })],
  resets: { clears: ['outcome_types'], clear: deleteCustomOutcomeTypes },
  onTenantCreated: [insertSystemOutcomeTypes],
  restores: [restorable(outcomeTypeSpec)],
  operations: () => handlerEntries(outcomeTypeOperations, outcomeTypeRoutes()),
});
