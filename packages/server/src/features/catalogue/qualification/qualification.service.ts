import type { EntityType, QualificationRule, QualificationRuleCreate, QualificationScope } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { refuseProblems } from '../../../platform/app-error.ts';
import { requireComparedMetric } from '../../data/behavioral-metrics/index.ts';
import { assignScopes, createRecord, toWire, updateRecord, wantedAssignments } from '../catalogue-records/index.ts';
import {
  defaultStageOf,
  qualificationRuleProblems,
  qualificationRuleRemarks,
  storedConfig,
  wantedStage,
} from './qualification.rules.ts';
import { type QualificationRuleRow, qualificationRuleSpec } from './qualification.store.ts';

/** Scope of a rule that names none (docs/design/api-catalogue.md 9). */
export const defaultScope: QualificationScope = 'global';

const resources: Readonly<Record<QualificationScope, EntityType | null>> = {
  global: null,
  segment: 'segment',
  channel: 'channel',
  category: 'category',
  subcategory: 'subCategory',
  offer: 'offer',
  creative: 'creative',
  placement: 'placement',
};

/** One rule as answers carry it. */
export function showQualificationRule(row: QualificationRuleRow): QualificationRule {
  const [first] = row.scopes;
  return {
    ...toWire(row),
    scope: first?.scope ?? defaultScope,
    scopeId: first?.scopeId ?? null,
    scopes: row.scopes.map((assignment) => ({ ...assignment, qualificationRuleId: row.id })),
    decisioningStage: row.stage,
    rowVersion: row.version,
  };
}

/** Rules as answers carry them; `scope` and `scopeId` show the first assignment. */
export const showQualificationRules = (_tx: Tx, rows: readonly QualificationRuleRow[]): QualificationRule[] =>
  rows.map(showQualificationRule);

export async function createQualificationRule(tx: Tx, body: QualificationRuleCreate): Promise<QualificationRuleRow> {
  const { scope, scopeId, scopes, stage, decisioningStage, config = {}, ...fields } = body;
  const wanted = wantedStage(stage, decisioningStage);
  refuseProblems([...wanted.problems, ...qualificationRuleProblems(body.ruleType, config)]);
  await requireComparedMetric(tx, body.ruleType, config);
  tx.remarks.push(...qualificationRuleRemarks(body.ruleType, config));
  const assignments = wantedAssignments(body, null, defaultScope) ?? [];
  return createRecord(tx, qualificationRuleSpec, {
    ...fields,
    config: storedConfig(config),
    stage: wanted.stage ?? defaultStageOf(body.ruleType),
    scopes: await assignScopes(tx, assignments, [], (word) => resources[word]),
  });
}

/** Changes the supplied fields; a new type or config is checked as the pair it results in. The stage stays. */
export async function updateQualificationRule(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Partial<QualificationRuleCreate>,
): Promise<QualificationRuleRow> {
  const { scope, scopeId, scopes, stage, decisioningStage, config, ...fields } = changes;
  const wanted = wantedStage(stage, decisioningStage);
  refuseProblems(wanted.problems);
  return updateRecord(tx, qualificationRuleSpec, id, {
    rowVersion,
    change: async (current) => {
      if (fields.ruleType !== undefined || config !== undefined) {
        const ruleType = fields.ruleType ?? current.ruleType;
        refuseProblems(qualificationRuleProblems(ruleType, config ?? current.config));
        await requireComparedMetric(tx, ruleType, config ?? current.config);
        tx.remarks.push(...qualificationRuleRemarks(ruleType, config ?? current.config));
      }
      const assignments = wantedAssignments(changes, current.scopes, defaultScope);
      return {
        ...fields,
        ...(config === undefined ? {} : { config: storedConfig(config) }),
        ...(wanted.stage === null ? {} : { stage: wanted.stage }),
        ...(assignments === null
          ? {}
          : { scopes: await assignScopes(tx, assignments, current.scopes, (word) => resources[word]) }),
      };
    },
  });
}
