import { qualificationRuleOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { qualificationRuleRoutes } from './qualification.routes.ts';
import { qualificationRuleSpec } from './qualification.store.ts';

export { previewRule } from './preview-rule.ts';
export { createQualificationRule } from './qualification.service.ts';
export { idleRules, rulesNamingSegment, rulesReadingMetric, snapshotRules } from './qualification.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['qualification_rules'];

export const qualificationFeature = feature({
  name: 'qualification',
  tables,
  searches: [searchable(qualificationRuleSpec, { detail: 'status' })],
  resets: { empties: tables },
  restores: [restorable(qualificationRuleSpec)],
  operations: () => handlerEntries(qualificationRuleOperations, qualificationRuleRoutes()),
});
