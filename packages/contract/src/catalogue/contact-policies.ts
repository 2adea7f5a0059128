import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { byPriority, type Draft, resource } from '../core/resource.ts';
import { Id, IdFilter, Name, Nullable, Timestamp } from '../core/schemas.ts';
import {
  PolicyConfig,
  PolicyPriority,
  PolicyScope,
  PolicyScopes,
  PolicyStatus,
  PolicyType,
} from '../deciding/contact-policy-parts.ts';

const writable = {
  name: Name('Name. Unique among policies that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'Free text.' }),
  status: PolicyStatus,
  scope: PolicyScope,
  scopeId: Nullable(Id('Target.'), { description: 'ID of the target in `scope`; null for global.' }),
  ruleType: PolicyType,
  config: PolicyConfig,
  priority: PolicyPriority,
};

/** A contact policy. */
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
          scopeId: Nullable(Type.String(), { description: 'ID of the target; null for global.' }),
          createdAt: Timestamp('When it was assigned.'),
        },
        { description: 'An assignment of a policy to a target.' },
      ),
      { description: 'All assignments. `scope` and `scopeId` show the first one.' },
    ),
    version: Type.Integer({ description: 'Starts at 1 and increases with every update.' }),
    rowVersion: Type.Integer({ description: 'Same as `version`.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A contact policy.' },
);
export type ContactPolicy = Static<typeof ContactPolicy>;

const changes = {
  ...Type.Partial(Type.Object(writable)).properties,
  scopes: Type.Optional(PolicyScopes),
};

/** Body of POST: name and rule type are required. */
export const ContactPolicyCreate = Type.Object(
  { ...changes, name: writable.name, ruleType: writable.ruleType },
  {
    description: 'A new policy. Defaults: active, scope offer, priority 50.',
    examples: [
      {
        name: 'At most twice a day',
        ruleType: 'frequency_cap',
        config: { maxPerDay: 2 },
        scope: 'offer',
        scopeId: exampleId('offer'),
      },
    ],
  },
);
export type ContactPolicyCreate = Static<typeof ContactPolicyCreate>;

const DeletedPolicy = {
  description: 'The policy was deleted. Lists the flows that still refer to it.',
  schema: Type.Object(
    {
      deleted: Type.Literal(true, { description: 'Always true.' }),
      warnings: Type.Array(Type.String(), {
        description: 'One message for each decision flow whose draft refers to the policy.',
      }),
    },
    { description: 'What was deleted.' },
  ),
};

const contactPolicyDraft: Draft<ContactPolicyCreate> = ({ name, marker, id }) => ({
  name: name('Policy'),
  description: `Policy of ${marker}`,
  status: 'active',
  scope: 'offer',
  scopeId: id('offer'),
  ruleType: 'frequency_cap',
  config: { maxPerDay: 3 },
  priority: 40,
});

/** Contact policies, described once. */
export const contactPolicyResource = resource({
  entityType: 'contactPolicy',
  name: 'contactPolicies',
  path: 'contact-policies',
  tag: 'Contact policies',
  noun: 'contact policy',
  nouns: 'contact policies',
  writeRole: 'admin',
  softDelete: true,
  readsDeleted: true,
  record: ContactPolicy,
  create: ContactPolicyCreate,
  draft: contactPolicyDraft,
  changes,
  page: cataloguePage,
  order: byPriority,
  search: ['name'],
  searchOrder: 50,
  filters: {
    status: Type.Optional(PolicyStatus),
    ruleType: Type.Optional(PolicyType),
  },
  queries: {
    scope: Type.Optional(PolicyScope),
    scopeId: Type.Optional(IdFilter('Target the policy must be assigned to.')),
  },
  unique: { name: 'duplicate_name' },
  references: {},
  files: { without: ['scope', 'scopeId'], idsInside: ['config', 'scopes'] },
  removal: { 200: DeletedPolicy },
  errors: {
    create: ['reference_not_found', 'feature_disabled'],
    update: ['reference_not_found', 'feature_disabled'],
  },
});

export const contactPolicyOperations = recordOperations(contactPolicyResource);

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type ContactPolicyUpdate = Static<typeof contactPolicyOperations.update.body>;
