export { qualificationRuleRoutes } from './qualification.routes.ts';
export { createQualificationRule } from './qualification.service.ts';
export { snapshotRules } from './qualification.store.ts';
