import Type, { type Static } from 'typebox';
import type { AnyRuleConfig } from '../core/config-types.generated.ts';
import { exampleId } from '../core/examples.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { byPriority, type Draft, deleted, resource } from '../core/resource.ts';
import { ConfigObject, Id, IdFilter, Int, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { offerStatuses } from './offers.ts';

/** The rule types. */
export const qualificationRuleTypes = [
  'segment_required',
  'attribute_condition',
  'propensity_threshold',
  'recency_check',
  'metric_condition',
  'offer_attribute',
] as const;
export type QualificationRuleType = (typeof qualificationRuleTypes)[number];

export const qualificationScopes = [
  'global',
  'segment',
  'channel',
  'category',
  'subcategory',
  'offer',
  'creative',
  'placement',
] as const;
export type QualificationScope = (typeof qualificationScopes)[number];

export const qualificationStages = ['eligibility', 'fit', 'match', 'ranking'] as const;
export type QualificationStage = (typeof qualificationStages)[number];

/** Other names of stages, read on write. */
export const stageAliases = { qualification: 'eligibility', applicability: 'fit', suitability: 'match' } as const;

const RuleStatus = StringEnum(offerStatuses, { description: 'Only active rules are evaluated.' });
const RuleType = StringEnum(qualificationRuleTypes, { description: 'Type of the rule.' });
const RuleScope = StringEnum(qualificationScopes, { description: 'Kind of target the rule applies to.' });
const StageIn = StringEnum(
  ['eligibility', 'fit', 'match', 'ranking', 'qualification', 'applicability', 'suitability'],
  {
    description:
      'When the rule is evaluated. qualification, applicability and suitability are read as eligibility, fit and match.',
  },
);
const StageOut = StringEnum(qualificationStages, { description: 'When the rule is evaluated.' });

const Assignment = Type.Object(
  {
    scope: RuleScope,
    scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'ID of the target; null for global.' })),
  },
  { description: 'One target of the rule.' },
);

const writable = {
  name: Name('Name. Unique among rules that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'Free text.' }),
  status: RuleStatus,
  ruleType: RuleType,
  config: ConfigObject<AnyRuleConfig>(
    'Settings of the rule type. Unknown keys are stored but have no effect.',
    'rules',
  ),
  scope: RuleScope,
  scopeId: Nullable(Id('Target.'), { description: 'ID of the target in `scope`; null for global.' }),
  priority: Int(0, 100, 'Rules with a higher priority are evaluated first within their stage.'),
};

/** A qualification rule. */
export const QualificationRule = Type.Object(
  {
    id: Id('Rule.'),
    tenantId: Id('Tenant.'),
    ...writable,
    scopes: Type.Array(
      Type.Object(
        {
          id: Id('Assignment.'),
          qualificationRuleId: Id('The rule.'),
          scope: RuleScope,
          scopeId: Nullable(Type.String(), { description: 'ID of the target; null for global.' }),
          createdAt: Timestamp('When it was assigned.'),
        },
        { description: 'An assignment of a rule to a target.' },
      ),
      { description: 'All assignments. `scope` and `scopeId` show the first one.' },
    ),
    stage: StageOut,
    decisioningStage: StageOut,
    version: Type.Integer({ description: 'Starts at 1 and increases with every update.' }),
    rowVersion: Type.Integer({ description: 'Same as `version`.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A qualification rule.' },
);
export type QualificationRule = Static<typeof QualificationRule>;

const changes = {
  ...Type.Partial(Type.Object(writable)).properties,
  scopes: Type.Optional(
    Type.Array(Assignment, {
      maxItems: 1000,
      description: 'Assignments, at most 200 and without duplicates. They override `scope` and `scopeId`.',
    }),
  ),
  stage: Type.Optional(StageIn),
  decisioningStage: Type.Optional(StageIn),
};

/** Body of POST: name and rule type are required. */
export const QualificationRuleCreate = Type.Object(
  { ...changes, name: writable.name, ruleType: writable.ruleType },
  {
    description: 'A new rule. Defaults: active, scope global, priority 50, stage by rule type.',
    examples: [
      {
        name: 'Minimum account balance',
        ruleType: 'attribute_condition',
        config: { attribute: 'balance', operator: 'gte', value: 500 },
        scope: 'offer',
        scopeId: exampleId('offer'),
        stage: 'eligibility',
      },
    ],
  },
);
export type QualificationRuleCreate = Static<typeof QualificationRuleCreate>;

const qualificationRuleDraft: Draft<QualificationRuleCreate> = ({ name, marker, id }) => ({
  name: name('Rule'),
  description: `Rule of ${marker}`,
  status: 'active',
  ruleType: 'attribute_condition',
  config: { attribute: 'balance', operator: 'gte', value: 500 },
  scope: 'offer',
  scopeId: id('offer'),
  priority: 40,
  stage: 'eligibility',
});

/** Qualification rules, described once. */
export const qualificationRuleResource = resource({
  entityType: 'qualificationRule',
  name: 'qualificationRules',
  path: 'qualification-rules',
  tag: 'Qualification rules',
  noun: 'qualification rule',
  nouns: 'qualification rules',
  writeRole: 'admin',
  softDelete: true,
  record: QualificationRule,
  create: QualificationRuleCreate,
  draft: qualificationRuleDraft,
  changes,
  page: cataloguePage,
  order: byPriority,
  search: ['name'],
  searchOrder: 60,
  filters: {
    status: Type.Optional(RuleStatus),
    ruleType: Type.Optional(RuleType),
  },
  queries: {
    stage: Type.Optional(StageIn),
    scope: Type.Optional(RuleScope),
    scopeId: Type.Optional(IdFilter('Target the rule must be assigned to.')),
  },
  unique: { name: 'duplicate_name' },
  references: {},
  files: {
    without: ['scope', 'scopeId', 'decisioningStage'],
    defaults: { scopes: [{ scope: 'global' }] },
    idsInside: ['config', 'scopes'],
  },
  removal: deleted,
  errors: {
    create: ['reference_not_found', 'feature_disabled'],
    update: ['reference_not_found', 'feature_disabled'],
  },
});

export const qualificationRuleOperations = recordOperations(qualificationRuleResource);

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type QualificationRuleUpdate = Static<typeof qualificationRuleOperations.update.body>;
