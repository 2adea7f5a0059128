import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { cataloguePage } from './core/pages.ts';
import { recordOperations } from './core/record-operations.ts';
import { byPriority, type Draft, deleted, resource } from './core/resource.ts';
import { Id, IdFilter, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
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

const RuleStatus = StringEnum(offerStatuses, { description: 'Only active rules are asked.' });
const RuleType = StringEnum(qualificationRuleTypes, { description: 'What the rule asks.' });
const RuleScope = StringEnum(qualificationScopes, { description: 'What the rule applies to.' });
const StageIn = StringEnum(
  ['eligibility', 'fit', 'match', 'ranking', 'qualification', 'applicability', 'suitability'],
  { description: 'When it is asked; qualification, applicability, suitability read as eligibility, fit, match.' },
);
const StageOut = StringEnum(qualificationStages, { description: 'When it is asked.' });

const Assignment = Type.Object(
  { scope: RuleScope, scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'Target; null for global.' })) },
  { description: 'One thing the rule applies to.' },
);

const writable = {
  name: Name('Unique among rules that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'Free text.' }),
  status: RuleStatus,
  ruleType: RuleType,
  config: JsonObject('Settings of the rule type; unknown keys are kept and have no effect.', { configs: 'rules' }),
  scope: RuleScope,
  scopeId: Nullable(Id('Target.'), { description: 'Target of the scope; null for global.' }),
  priority: Int(0, 100, 'Higher is asked first inside its stage.'),
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
          scopeId: Nullable(Type.String(), { description: 'Target; null for global.' }),
          createdAt: Timestamp('When it was assigned.'),
        },
        { description: 'An assignment.' },
      ),
      { description: 'All assignments; scope and scopeId show the first one.' },
    ),
    stage: StageOut,
    decisioningStage: StageOut,
    version: Type.Integer({ description: 'Starts at 1, rises with every update.' }),
    rowVersion: Type.Integer({ description: 'Same as version.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was made.'),
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
      description: 'Assignments, at most 200 different ones; they override scope and scopeId.',
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
        name: 'Enough on the account',
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
  filters: {
    status: Type.Optional(RuleStatus),
    ruleType: Type.Optional(RuleType),
  },
  queries: {
    stage: Type.Optional(StageIn),
    scope: Type.Optional(RuleScope),
    scopeId: Type.Optional(IdFilter('Only rules assigned to this target.')),
  },
  unique: { name: 'duplicate_name' },
  references: {},
  files: {
    without: ['scope', 'scopeId', 'decisioningStage'],
    defaults: { scopes: [{ scope: 'global' }] },
    idsInside: ['config', 'scopes'],
  },
  removal: deleted,
  errors: { create: ['reference_not_found'], update: ['reference_not_found'] },
});

export const qualificationRuleOperations = recordOperations(qualificationRuleResource);

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type QualificationRuleUpdate = Static<typeof qualificationRuleOperations.update.body>;
