import { qualificationRuleOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { qualificationRuleRoutes } from './qualification.routes.ts';

export { createQualificationRule } from './qualification.service.ts';
export { snapshotRules } from './qualification.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['qualification_rules'];

export const qualificationFeature = feature({
  name: 'qualification',
  tables,
  operations: () => handlerEntries(qualificationRuleOperations, qualificationRuleRoutes()),
});
