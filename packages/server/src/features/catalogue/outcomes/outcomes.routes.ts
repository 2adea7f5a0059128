import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeOutcomeType, createOutcomeType, deleteOutcomeType } from './outcomes.service.ts';
import { outcomeTypeSpec } from './outcomes.store.ts';

export const outcomeTypeRoutes = () =>
  recordHandlers(outcomeTypeSpec, {
    create: createOutcomeType,
    change: changeOutcomeType,
    remove: (tx, id, addressed) => noContent(deleteOutcomeType(tx, id, addressed)),
  });
