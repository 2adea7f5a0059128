import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery } from './core/pages.ts';
import { Id, Int, JsonObject, Name, Nullable, QueryFlag, StringEnum, Timestamp } from './core/schemas.ts';
import { offerStatuses } from './offers.ts';

/** The 14 rule types of the contract (part 2, 4.5). */
export const contactPolicyTypes = [
  'frequency_cap',
  'cooldown',
  'budget_exhausted',
  'outcome_based',
  'segment_exclusion',
  'time_window',
  'mutual_exclusion',
  'cross_channel_cap',
  'customer_total_cap',
  'offer_category_cap',
  'allow_override',
  'category_suppression',
  'do_not_contact',
  'metric_condition',
] as const;
export type ContactPolicyType = (typeof contactPolicyTypes)[number];

export const contactPolicyScopes = ['global', 'offer', 'creative', 'channel', 'category', 'subcategory'] as const;
export type ContactPolicyScope = (typeof contactPolicyScopes)[number];

const PolicyStatus = StringEnum(offerStatuses, { description: 'Only active policies are evaluated.' });
const PolicyType = StringEnum(contactPolicyTypes, { description: 'What the policy limits.' });
const PolicyScope = StringEnum(contactPolicyScopes, { description: 'What the policy applies to.' });

const Assignment = Type.Object(
  { scope: PolicyScope, scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'Target; null for global.' })) },
  { description: 'One thing the policy applies to.' },
);

const writable = {
  name: Name('Unique among policies that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'Free text.' }),
  status: PolicyStatus,
  scope: PolicyScope,
  scopeId: Nullable(Id('Target.'), { description: 'Target of the scope; null for global.' }),
  ruleType: PolicyType,
  config: JsonObject('Settings of the rule type (part 2, 4.5); unknown keys are kept and have no effect.'),
  priority: Int(0, 100, 'Higher is evaluated first.'),
};

/** A contact policy (part 2, section 2). */
export const ContactPolicy = Type.Object(
  {
    id: Id('Policy.'),
    tenantId: Id('Tenant.'),
    ...writable,
    scopes: Type.Array(
      Type.Object(
        {
          id: Id('Assignment.'),
          contactPolicyId: Id('The policy.'),
          scope: PolicyScope,
          scopeId: Nullable(Type.String(), { description: 'Target; null for global.' }),
          createdAt: Timestamp('When it was assigned.'),
        },
        { description: 'An assignment.' },
      ),
      { description: 'All assignments; scope and scopeId show the first one.' },
    ),
    version: Type.Integer({ description: 'Starts at 1, rises with every update.' }),
    rowVersion: Type.Integer({ description: 'Same as version.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A contact policy.' },
);
export type ContactPolicy = Static<typeof ContactPolicy>;

const optional = {
  ...Type.Partial(Type.Object(writable)).properties,
  scopes: Type.Optional(
    Type.Array(Assignment, { maxItems: 200, description: 'Assignments; they override scope and scopeId.' }),
  ),
};

/** Body of POST: name and rule type are required. */
export const ContactPolicyCreate = Type.Object(
  { ...optional, name: writable.name, ruleType: writable.ruleType },
  { description: 'A new policy. Defaults: active, scope offer, priority 50.' },
);
export type ContactPolicyCreate = Static<typeof ContactPolicyCreate>;

const changes = {
  ...optional,
  rowVersion: Type.Optional(Type.Integer({ description: 'Expected version; another one is 409.' })),
};

/** Body of PUT on the collection: `id` plus the fields that change. */
export const ContactPolicyUpdate = Type.Object(
  { id: Id('The policy to change.'), ...changes },
  { description: 'Fields of a policy that change.' },
);
export type ContactPolicyUpdate = Static<typeof ContactPolicyUpdate>;

const UpdateById = Type.Object(
  { id: Type.Optional(Id('Must equal the id in the path.')), ...changes },
  { description: 'Fields of a policy that change.' },
);

const DeletedPolicy = Type.Object(
  {
    deleted: Type.Literal(true, { description: 'Always true.' }),
    warnings: Type.Array(Type.String(), { description: 'One text per decision flow whose draft names the policy.' }),
  },
  { description: 'What was deleted.' },
);

const IdParams = Type.Object({ id: Type.String({ description: 'Policy.' }) }, { description: 'Path.' });

const common = { tag: 'Contact policies', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const writeErrors = ['validation_failed', 'reference_not_found', 'duplicate_name'] as const;

export const contactPolicyOperations = {
  list: operation({
    ...common,
    id: 'contactPolicies.list',
    method: 'GET',
    path: '/api/v1/contact-policies',
    summary: 'List contact policies by priority, then newest',
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(25, 200),
        includeDeleted: Type.Optional(QueryFlag('Also deleted policies.')),
        search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, any letter case.' })),
        q: Type.Optional(Type.String({ maxLength: 255, description: 'Same as search.' })),
        status: Type.Optional(PolicyStatus),
        ruleType: Type.Optional(PolicyType),
        scope: Type.Optional(PolicyScope),
        scopeId: Type.Optional(Type.String({ description: 'Only policies assigned to this target.' })),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of policies.', schema: cursorPage(ContactPolicy) } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'contactPolicies.create',
    method: 'POST',
    path: '/api/v1/contact-policies',
    summary: 'Create a contact policy',
    role: 'admin',
    body: ContactPolicyCreate,
    responses: { 201: { description: 'The policy.', schema: ContactPolicy } },
    errors: writeErrors,
    audit: [{ action: 'create', entityType: 'contactPolicy' }],
  }),
  get: operation({
    ...common,
    id: 'contactPolicies.get',
    method: 'GET',
    path: '/api/v1/contact-policies/{id}',
    summary: 'Read a contact policy',
    role: 'viewer',
    params: IdParams,
    responses: { 200: { description: 'The policy.', schema: ContactPolicy } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...common,
    id: 'contactPolicies.update',
    method: 'PUT',
    path: '/api/v1/contact-policies',
    summary: 'Change a contact policy',
    role: 'admin',
    body: ContactPolicyUpdate,
    responses: { 200: { description: 'The policy.', schema: ContactPolicy } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'contactPolicy' }],
  }),
  updateById: operation({
    ...common,
    id: 'contactPolicies.updateById',
    method: 'PUT',
    path: '/api/v1/contact-policies/{id}',
    summary: 'Change a contact policy',
    role: 'admin',
    params: IdParams,
    body: UpdateById,
    responses: { 200: { description: 'The policy.', schema: ContactPolicy } },
    errors: [...writeErrors, 'not_found', 'row_version_conflict'],
    audit: [{ action: 'update', entityType: 'contactPolicy' }],
  }),
  delete: operation({
    ...common,
    id: 'contactPolicies.delete',
    method: 'DELETE',
    path: '/api/v1/contact-policies',
    summary: 'Delete a contact policy (soft)',
    role: 'admin',
    query: Type.Object({ id: Type.String({ description: 'Policy.' }) }, { description: 'The policy to delete.' }),
    responses: { 200: { description: 'Deleted, with the flows that still name it.', schema: DeletedPolicy } },
    errors: ['validation_failed', 'already_deleted'],
    audit: [{ action: 'soft_delete', entityType: 'contactPolicy' }],
  }),
  deleteById: operation({
    ...common,
    id: 'contactPolicies.deleteById',
    method: 'DELETE',
    path: '/api/v1/contact-policies/{id}',
    summary: 'Delete a contact policy (soft)',
    role: 'admin',
    params: IdParams,
    responses: { 200: { description: 'Deleted, with the flows that still name it.', schema: DeletedPolicy } },
    errors: ['not_found'],
    audit: [{ action: 'soft_delete', entityType: 'contactPolicy' }],
  }),
};
