import type { ErrorEntry, QualificationRuleCreate } from '@arbiter/contract';
import type { SnapshotRule } from '@arbiter/engine';
import { columnDefaults } from '../../../db/column-defaults.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { wantedAssignments, withDefaults } from '../catalogue-records/index.ts';
import { defaultStageOf, qualificationRuleProblems, storedConfig, wantedStage } from './qualification.rules.ts';
import { defaultScope } from './qualification.service.ts';

/**
 * Returns what decisions would read of a rule created with this body, and why it can't be created. Null: nothing,
 * because it isn't active. Its age is 0. Throws 400 for assignments that can't be stored.
 */
export function previewRule(
  id: string,
  body: QualificationRuleCreate,
): { readonly rule: SnapshotRule | null; readonly problems: readonly ErrorEntry[] } {
  const { name, ruleType, config = {}, priority, status } = withDefaults(columnDefaults.qualification_rules, body);
  const { stage, problems: others } = wantedStage(body.stage, body.decisioningStage);
  const problems = [...others, ...qualificationRuleProblems(ruleType, config)];
  const wanted = wantedAssignments(body, null, defaultScope) ?? [];
  if (status !== 'active' || problems.length > 0) return { rule: null, problems };
  const scopes = wanted.map(({ scope, scopeId }) => ({ scope, scopeId }));
  const own = { config: asJsonObject(storedConfig(config)), stage: stage ?? defaultStageOf(ruleType) };
  return { rule: { id, name, ruleType, ...own, scopes, priority, createdAt: 0 }, problems };
}
