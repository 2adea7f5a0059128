import type {
  OfferStatus,
  QualificationRule,
  QualificationRuleCreate,
  QualificationRuleType,
  QualificationRuleUpdate,
  QualificationScope,
  QualificationStage,
} from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { refuseProblems } from '../../platform/app-error.ts';
import {
  type Addressed,
  assignedTo,
  assignScopes,
  createRecord,
  getRecord,
  type ListOptions,
  listRecords,
  type Pagination,
  type Referable,
  softDeleteRecord,
  toWire,
  updateRecord,
  wantedAssignments,
} from '../records/index.ts';
import {
  qualificationRuleProblems,
  qualificationRuleRemarks,
  storedConfig,
  usualStage,
  wantedStage,
} from './qualification.rules.ts';
import { byPriority, type QualificationRuleRow, qualificationRuleSpec } from './qualification.store.ts';

/** Scope of a rule that names none (api-catalogue.md 9). */
const defaultScope: QualificationScope = 'global';

/** There is no room of segments yet, so no id names one. */
const resources: Readonly<Record<QualificationScope, Referable | null>> = {
  global: null,
  segment: null,
  channel: 'channel',
  category: 'category',
  subcategory: 'subCategory',
  offer: 'offer',
  creative: 'creative',
  placement: 'placement',
};

function answer(row: QualificationRuleRow): QualificationRule {
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

export async function createQualificationRule(tx: Tx, body: QualificationRuleCreate): Promise<QualificationRule> {
  const { scope, scopeId, scopes, stage, decisioningStage, config = {}, ...fields } = body;
  const wanted = wantedStage(stage, decisioningStage);
  refuseProblems([...wanted.problems, ...qualificationRuleProblems(body.ruleType, config)]);
  tx.remarks.push(...qualificationRuleRemarks(body.ruleType, config));
  const assignments = wantedAssignments(body, null, defaultScope) ?? [];
  const row = await createRecord(tx, qualificationRuleSpec, {
    ...fields,
    config: storedConfig(config),
    stage: wanted.stage ?? usualStage(body.ruleType),
    scopes: await assignScopes(tx, assignments, [], (word) => resources[word]),
  });
  return answer(row);
}

/** Changes the supplied fields; a new type or config is checked as the pair it results in. The stage stays. */
export async function updateQualificationRule(tx: Tx, body: QualificationRuleUpdate): Promise<QualificationRule> {
  const { id, rowVersion, scope, scopeId, scopes, stage, decisioningStage, config, ...fields } = body;
  const wanted = wantedStage(stage, decisioningStage);
  refuseProblems(wanted.problems);
  const row = await updateRecord(tx, qualificationRuleSpec, id, {
    rowVersion,
    change: async (current) => {
      if (fields.ruleType !== undefined || config !== undefined) {
        const ruleType = fields.ruleType ?? current.ruleType;
        refuseProblems(qualificationRuleProblems(ruleType, config ?? current.config));
        tx.remarks.push(...qualificationRuleRemarks(ruleType, config ?? current.config));
      }
      const assignments = wantedAssignments(body, current.scopes, defaultScope);
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
  return answer(row);
}

/** The live rule; 404 otherwise. */
export async function readQualificationRule(tx: Tx, id: string): Promise<QualificationRule> {
  return answer(await getRecord(tx, qualificationRuleSpec, id));
}

export interface QualificationRuleFilters {
  readonly status?: OfferStatus | undefined;
  readonly ruleType?: QualificationRuleType | undefined;
  readonly stage?: QualificationStage | undefined;
  readonly scope?: QualificationScope | undefined;
  readonly scopeId?: string | undefined;
}

/** One page by priority, highest first, then newest. `scope` and `scopeId` must hold for one assignment together. */
export async function listQualificationRules(
  tx: Tx,
  { scope, scopeId, ...filters }: QualificationRuleFilters,
  page: Pick<ListOptions<QualificationRuleRow>, 'limit' | 'cursor' | 'search' | 'includeDeleted'>,
): Promise<{ data: QualificationRule[]; pagination: Pagination }> {
  const { rows, pagination } = await listRecords(tx, qualificationRuleSpec, {
    ...page,
    filters,
    ...assignedTo({ scope, scopeId }),
    order: byPriority,
    defaultLimit: 25,
    maximumLimit: 200,
  });
  return { data: rows.map(answer), pagination };
}

export async function deleteQualificationRule(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await softDeleteRecord(tx, qualificationRuleSpec, id, { addressed });
}
