export { qualificationRuleRoutes } from './qualification.routes.ts';
export { createQualificationRule } from './qualification.service.ts';
export { snapshotRules } from './qualification.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['qualification_rules'];
