import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery } from './core/pages.ts';
import { deleted } from './core/resource.ts';
import { CustomerId, Id, IdText, Int, Nullable, QueryFlag, StringEnum, sentAsItIs, Timestamp } from './core/schemas.ts';

export const suppressionScopes = ['global', 'category', 'offer'] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

/** Who wrote a row: a person, or a policy of this type; rows of running cooldowns are computed, not stored. */
export const suppressionTypes = ['manual', 'cooldown', 'outcome_based'] as const;
export type SuppressionType = (typeof suppressionTypes)[number];

/** Rows per page (docs/design/api-catalogue.md 1.1). */
export const suppressionPage = { usual: 50, maximum: 200 };

/** When a suppression without an end of its own expires. */
export const neverExpires = '9999-12-31T00:00:00.000Z';

const Scope = StringEnum(suppressionScopes, {
  description: 'What the customer is not shown: every offer, those of a category, or one offer.',
});
const PolicyType = StringEnum(suppressionTypes, {
  description: '`manual`: set by a person; else the type of the policy. `cooldown` rows are computed from contacts.',
});

const row = {
  id: Nullable(Id('Id of the row.'), { description: 'Id of the row; null for a running cooldown, which is computed.' }),
  scope: Scope,
  scopeId: Type.String({ description: 'Id of the offer or category; `all` for scope global.' }),
  offerName: Nullable(Type.String(), { description: 'Name of the offer; null for other scopes.' }),
  policyType: PolicyType,
  policyId: Nullable(Id('Policy.'), { description: 'The policy that wrote it; null for a manual one.' }),
  reason: Type.String({ description: 'Why; `cooldown` for a running cooldown.' }),
  triggerCount: Type.Integer({ minimum: 1, description: 'How often it was set.' }),
  createdAt: Timestamp('When it was first set; of a cooldown the latest contact.'),
  expiresAt: Timestamp('From then on it has no effect.'),
  isActive: Type.Boolean({ description: 'expiresAt is later than now.' }),
};

/** What keeps offers from a customer (part 1, customer suppression; docs/design/api-catalogue.md 12). */
export const Suppression = Type.Object(
  { ...row, customerId: CustomerId() },
  { description: 'A suppression of a customer.' },
);
export type Suppression = Static<typeof Suppression>;

const Days = Int(1, 36_500, 'Ends so many times 24 hours from now; not beside expiresAt.');
const Reason = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S', description: 'Why, in words.' });

export const SuppressionCreate = Type.Object(
  {
    customerId: CustomerId(),
    scope: Scope,
    scopeId: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 36 }), {
        description: 'Id of the offer or category; null, `all` or left out for scope global.',
      }),
    ),
    expiresAt: Type.Optional(Timestamp('End, later than now. Without it and without days there is none.')),
    days: Type.Optional(Days),
    reason: Reason,
  },
  {
    description:
      'A suppression by hand. The same customer and scope again raises triggerCount and keeps the later end.',
    examples: [
      {
        customerId: 'member-4711',
        scope: 'offer',
        scopeId: exampleId('offer'),
        days: 30,
        reason: 'Asked for no more of it',
      },
    ],
  },
);
export type SuppressionCreate = Static<typeof SuppressionCreate>;

const changes = {
  customerId: Type.Optional(CustomerId(`The customer. ${sentAsItIs}`)),
  scope: Type.Optional(StringEnum(suppressionScopes, { description: `What it is about. ${sentAsItIs}` })),
  scopeId: Type.Optional(
    Type.String({ maxLength: 36, description: `Id of the offer or category, or \`all\`. ${sentAsItIs}` }),
  ),
  expiresAt: Type.Optional(Timestamp('New end, later than now.')),
  days: Type.Optional(Days),
  reason: Type.Optional(Reason),
};
const changeExample = { days: 90, reason: 'Asked for a quarter of rest' };

const SuppressionChange = Type.Object(
  { id: Type.Optional(Id('Id of the suppression; may be sent as it is.')), ...changes },
  { description: 'Changes of a suppression.', examples: [changeExample] },
);
export type SuppressionChange = Static<typeof SuppressionChange>;

const SuppressionChangeWithId = Type.Object(
  { id: Id('Id of the suppression.'), ...changes },
  { description: 'Changes of a suppression.', examples: [{ id: exampleId('customerSuppression'), ...changeExample }] },
);

const common = {
  tag: 'Suppressions',
  auth: 'credential',
  loadClass: 'crud',
  transaction: 'tenant',
} as const;
const path = '/api/v1/suppressions';
const change = {
  ...common,
  method: 'PUT',
  description: 'Acts from the next decision on. Only a suppression that was set by hand; one of a policy is 409.',
  role: 'admin',
  record: Suppression,
  responses: { 200: { description: 'The suppression.', schema: Suppression } },
  errors: ['not_found', 'protected', 'not_configured'],
  audit: [{ action: 'update', entityType: 'customerSuppression' }],
} as const;
const removal = {
  ...common,
  method: 'DELETE',
  role: 'admin',
  responses: deleted,
  errors: ['not_found'],
  audit: [{ action: 'delete', entityType: 'customerSuppression' }],
} as const;

export const suppressionOperations = {
  list: operation({
    ...common,
    id: 'suppressions.list',
    method: 'GET',
    path,
    summary: 'List suppressions',
    description:
      'Order: newest first. With `customerId` the running cooldowns of the customer are listed too, with `id` null; those ' +
      'are of policies with scope offer, category or global.',
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(suppressionPage),
        customerId: Type.Optional(Type.String({ maxLength: 1024, description: 'Only those of this customer.' })),
        scope: Type.Optional(Scope),
        policyType: Type.Optional(PolicyType),
        includeExpired: Type.Optional(QueryFlag('True also lists expired ones.')),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of suppressions.', schema: cursorPage(Suppression) } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'suppressions.create',
    method: 'POST',
    path,
    summary: 'Suppress offers for a customer',
    description:
      'Acts from the next decision on. One row for each customer and scope: a repeat answers 200 and leaves an audit row ' +
      '`update`. Audit rows name the customer by a keyed hash only.',
    role: 'admin',
    body: SuppressionCreate,
    record: Suppression,
    responses: {
      200: { description: 'The suppression, which was there already.', schema: Suppression },
      201: { description: 'The new suppression.', schema: Suppression },
    },
    errors: ['reference_not_found', 'not_configured'],
    audit: [{ action: 'create', entityType: 'customerSuppression' }],
  }),
  get: operation({
    ...common,
    id: 'suppressions.get',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Read one suppression',
    role: 'viewer',
    params: Type.Object({ id: IdText('Id of the suppression.') }, { description: 'Which suppression.' }),
    responses: { 200: { description: 'The suppression.', schema: Suppression } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...change,
    id: 'suppressions.update',
    path,
    summary: 'Change end or reason of a suppression',
    body: SuppressionChangeWithId,
  }),
  updateById: operation({
    ...change,
    id: 'suppressions.updateById',
    path: `${path}/{id}`,
    summary: 'Change end or reason of one suppression',
    params: Type.Object({ id: IdText('Id of the suppression.') }, { description: 'Which suppression.' }),
    body: SuppressionChange,
  }),
  delete: operation({
    ...removal,
    id: 'suppressions.delete',
    path,
    summary: 'Lift a suppression',
    description: 'Acts from the next decision on. Lifting what a policy wrote does not lift the policy.',
    query: Type.Object({ id: IdText('The suppression to lift.') }, { description: 'Which suppression.' }),
  }),
  deleteById: operation({
    ...removal,
    id: 'suppressions.deleteById',
    path: `${path}/{id}`,
    summary: 'Lift one suppression',
    params: Type.Object({ id: IdText('Id of the suppression.') }, { description: 'Which suppression.' }),
  }),
  ofCustomer: operation({
    ...common,
    id: 'suppressions.ofCustomer',
    method: 'GET',
    path: '/api/v1/customers/{customerId}/suppressions',
    summary: 'List the suppressions of a customer',
    description: 'All of them, newest first, running cooldowns included.',
    role: 'viewer',
    params: Type.Object(
      { customerId: CustomerId("The tenant's own id of the customer.") },
      { description: 'Which customer.' },
    ),
    query: Type.Object(
      { includeExpired: Type.Optional(QueryFlag('True also lists expired ones.')) },
      { description: 'Which of them.' },
    ),
    responses: {
      200: {
        description: 'The suppressions.',
        schema: Type.Object(
          {
            customerId: CustomerId(),
            data: Type.Array(Type.Object(row, { description: 'A suppression.' }), { description: 'Newest first.' }),
            total: Type.Integer({ description: 'How many there are.' }),
          },
          { description: 'The suppressions of a customer.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
};
