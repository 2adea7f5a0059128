import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery } from './core/pages.ts';
import { Id, Int, JsonObject, Name, Nullable, QueryFlag, StringEnum, Timestamp } from './core/schemas.ts';
import { offerStatuses } from './offers.ts';

/** The rule types (api-catalogue.md 9). */
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

/** Other names of stages, read on write (api-catalogue.md 9). */
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
  config: JsonObject('Settings of the rule type (api-catalogue.md 9); unknown keys are kept and have no effect.'),
  scope: RuleScope,
  scopeId: Nullable(Id('Target.'), { description: 'Target of the scope; null for global.' }),
  priority: Int(0, 100, 'Higher is asked first inside its stage.'),
};

/** A qualification rule (api-catalogue.md 9). */
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

const optional = {
  ...Type.Partial(Type.Object(writable)).properties,
  scopes: Type.Optional(
    Type.Array(Assignment, { maxItems: 200, description: 'Assignments; they override scope and scopeId.' }),
  ),
  stage: Type.Optional(StageIn),
  decisioningStage: Type.Optional(StageIn),
};

/** Body of POST: name and rule type are required. */
export const QualificationRuleCreate = Type.Object(
  { ...optional, name: writable.name, ruleType: writable.ruleType },
  { description: 'A new rule. Defaults: active, scope global, priority 50, stage by rule type.' },
);
export type QualificationRuleCreate = Static<typeof QualificationRuleCreate>;

const changes = {
  ...optional,
  rowVersion: Type.Optional(Type.Integer({ description: 'Expected version; another one is 409.' })),
};

/** Body of PUT on the collection: `id` plus the fields that change. */
export const QualificationRuleUpdate = Type.Object(
  { id: Id('The rule to change.'), ...changes },
  { description: 'Fields of a rule that change.' },
);
export type QualificationRuleUpdate = Static<typeof QualificationRuleUpdate>;

const UpdateById = Type.Object(
  { id: Type.Optional(Id('Must equal the id in the path.')), ...changes },
  { description: 'Fields of a rule that change.' },
);

const IdParams = Type.Object({ id: Type.String({ description: 'Rule.' }) }, { description: 'Path.' });

const common = { tag: 'Qualification rules', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const writeErrors = ['validation_failed', 'reference_not_found', 'duplicate_name'] as const;

export const qualificationRuleOperations = {
  list: operation({
    ...common,
    id: 'qualificationRules.list',
    method: 'GET',
    path: '/api/v1/qualification-rules',
    summary: 'List qualification rules by priority, then newest',
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(25, 200),
        includeDeleted: Type.Optional(QueryFlag('Also deleted rules.')),
        search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, any letter case.' })),
        q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as search.' })),
        status: Type.Optional(RuleStatus),
        ruleType: Type.Optional(RuleType),
        stage: Type.Optional(StageIn),
        scope: Type.Optional(RuleScope),
        scopeId: Type.Optional(Type.String({ description: 'Only rules assigned to this target.' })),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of rules.', schema: cursorPage(QualificationRule) } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'qualificationRules.create',
    method: 'POST',
    path: '/api/v1/qualification-rules',
    summary: 'Create a qualification rule',
    role: 'admin',
    body: QualificationRuleCreate,
    responses: { 201: { description: 'The rule.', schema: QualificationRule } },
    errors: writeErrors,
    audit: [{ action: 'create', entityType: 'qualificationRule' }],
  }),
  get: operation({
    ...common,
    id: 'qualificationRules.get',
    method: 'GET',
    path: '/api/v1/qualification-rules/{id}',
    summary: 'Read a qualification rule',
    role: 'viewer',
    params: IdParams,
    responses: { 200: { description: 'The rule.', schema: QualificationRule } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...common,
    id: 'qualificationRules.update',
    method: 'PUT',
    path: '/api/v1/qualification-rules',
    summary: 'Change a qualification rule',
    role: 'admin',
    body: QualificationRuleUpdate,
    responses: { 200: { description: 'The rule.', schema: QualificationRule } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'qualificationRule' }],
  }),
  updateById: operation({
    ...common,
    id: 'qualificationRules.updateById',
    method: 'PUT',
    path: '/api/v1/qualification-rules/{id}',
    summary: 'Change a qualification rule',
    role: 'admin',
    params: IdParams,
    body: UpdateById,
    responses: { 200: { description: 'The rule.', schema: QualificationRule } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'qualificationRule' }],
  }),
  delete: operation({
    ...common,
    id: 'qualificationRules.delete',
    method: 'DELETE',
    path: '/api/v1/qualification-rules',
    summary: 'Delete a qualification rule (soft)',
    role: 'admin',
    query: Type.Object({ id: Type.String({ description: 'Rule.' }) }, { description: 'The rule to delete.' }),
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['validation_failed', 'already_deleted'],
    audit: [{ action: 'soft_delete', entityType: 'qualificationRule' }],
  }),
  deleteById: operation({
    ...common,
    id: 'qualificationRules.deleteById',
    method: 'DELETE',
    path: '/api/v1/qualification-rules/{id}',
    summary: 'Delete a qualification rule (soft)',
    role: 'admin',
    params: IdParams,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: [{ action: 'soft_delete', entityType: 'qualificationRule' }],
  }),
};
