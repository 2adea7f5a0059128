import { assignedTo, recordHandlers } from '../catalogue-records/index.ts';
import { qualificationRuleRemarks, stageOf } from './qualification.rules.ts';
import {
  createQualificationRule,
  showQualificationRule,
  showQualificationRules,
  updateQualificationRule,
} from './qualification.service.ts';
import { qualificationRuleSpec } from './qualification.store.ts';

export const qualificationRuleRoutes = () =>
  recordHandlers(qualificationRuleSpec, {
    show: showQualificationRules,
    showPast: showQualificationRule,
    create: createQualificationRule,
    change: updateQualificationRule,
    remarks: (_tx, { ruleType, config }) => qualificationRuleRemarks(ruleType, config),
    // Scope and target must hold for one assignment together.
    narrow: ({ stage, scope, scopeId }) => ({
      ...assignedTo({ scope, scopeId }),
      filters: { stage: stage === undefined ? undefined : stageOf(stage) },
    }),
  });
