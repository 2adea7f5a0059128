import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery } from '../core/pages.ts';
import { deleted } from '../core/resource.ts';
import {
  CustomerId,
  Id,
  IdText,
  Int,
  Nullable,
  QueryFlag,
  StringEnum,
  sentAsItIs,
  Timestamp,
} from '../core/schemas.ts';

export const suppressionScopes = ['global', 'category', 'offer'] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

/** Who wrote a row: a person, or a policy of this type. Rows of running cooldowns are computed, not stored. */
export const suppressionTypes = ['manual', 'cooldown', 'outcome_based'] as const;
export type SuppressionType = (typeof suppressionTypes)[number];

/** Rows per page (docs/design/api-catalogue.md 1.1). */
export const suppressionPage = { usual: 50, maximum: 200 };

/** When a suppression without an end of its own expires. */
export const neverExpires = '9999-12-31T00:00:00.000Z';

const Scope = StringEnum(suppressionScopes, {
  description: 'What the suppression applies to: every offer, those of a category, or one offer.',
});
const PolicyType = StringEnum(suppressionTypes, {
  description:
    '`manual`: set by a user. Other values: the type of the policy. `cooldown` entries are computed from contacts.',
});

const row = {
  id: Nullable(Id('ID of the row.'), {
    description: 'ID of the suppression; null for an active cooldown, which is computed.',
  }),
  scope: Scope,
  scopeId: Type.String({ description: 'ID of the offer or category; `all` for scope global.' }),
  offerName: Nullable(Type.String(), { description: 'Name of the offer; null for other scopes.' }),
  policyType: PolicyType,
  policyId: Nullable(Id('Policy.'), { description: 'ID of the policy that created it; null for a manual one.' }),
  reason: Type.String({ description: 'Reason; `cooldown` for an active cooldown.' }),
  triggerCount: Type.Integer({ minimum: 1, description: 'How often it was set.' }),
  createdAt: Timestamp('When it was first set. For a cooldown: the latest contact.'),
  expiresAt: Timestamp('When it expires.'),
  isActive: Type.Boolean({ description: 'Whether expiresAt is in the future.' }),
};

/** What keeps offers from a customer (docs/design/api-catalogue.md 12). */
export const Suppression = Type.Object(
  { ...row, customerId: CustomerId() },
  { description: 'A suppression of a customer.' },
);
export type Suppression = Static<typeof Suppression>;

const Days = Int(1, 36_500, "Expires this many days of 24 hours from now. Can't be combined with expiresAt.");
const Reason = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S', description: 'Reason, as text.' });

export const SuppressionCreate = Type.Object(
  {
    customerId: CustomerId(),
    scope: Scope,
    scopeId: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 36 }), {
        description: 'ID of the offer or category. Null, `all` or omitted for scope global.',
      }),
    ),
    expiresAt: Type.Optional(
      Timestamp("Expiry, in the future. If neither this nor `days` is set, the suppression doesn't expire."),
    ),
    days: Type.Optional(Days),
    reason: Reason,
  },
  {
    description:
      'A manual suppression. Repeating the same customer and scope increases triggerCount and keeps the later expiry.',
    examples: [
      {
        customerId: 'member-4711',
        scope: 'offer',
        scopeId: exampleId('offer'),
        days: 30,
        reason: 'Asked not to see it again',
      },
    ],
  },
);
export type SuppressionCreate = Static<typeof SuppressionCreate>;

const changes = {
  customerId: Type.Optional(CustomerId(`Customer. ${sentAsItIs}`)),
  scope: Type.Optional(StringEnum(suppressionScopes, { description: `Scope. ${sentAsItIs}` })),
  scopeId: Type.Optional(
    Type.String({ maxLength: 36, description: `ID of the offer or category, or \`all\`. ${sentAsItIs}` }),
  ),
  expiresAt: Type.Optional(Timestamp('New expiry, in the future.')),
  days: Type.Optional(Days),
  reason: Type.Optional(Reason),
};
const changeExample = { days: 90, reason: 'Asked for a three-month break' };

const SuppressionChange = Type.Object(
  { id: Type.Optional(Id('ID of the suppression. Can be sent back unchanged.')), ...changes },
  { description: 'Changes to a suppression.', examples: [changeExample] },
);
export type SuppressionChange = Static<typeof SuppressionChange>;

const SuppressionChangeWithId = Type.Object(
  { id: Id('ID of the suppression.'), ...changes },
  { description: 'Changes to a suppression.', examples: [{ id: exampleId('customerSuppression'), ...changeExample }] },
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
  description:
    'Takes effect from the next decision. Only for manual suppressions; one created by a policy returns 409.',
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
      "Newest first. With `customerId`, the customer's active cooldowns from policies with scope offer, " +
      'category or global are also listed, with `id` null.',
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(suppressionPage),
        customerId: Type.Optional(Type.String({ maxLength: 1024, description: 'Customer to filter by.' })),
        scope: Type.Optional(Scope),
        policyType: Type.Optional(PolicyType),
        includeExpired: Type.Optional(QueryFlag('True: also list expired suppressions.')),
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
      'Takes effect from the next decision. There is one suppression per customer and scope: repeating the ' +
      'call returns 200 and writes an audit row `update`. Audit rows identify the customer by a keyed hash ' +
      'only.',
    role: 'admin',
    body: SuppressionCreate,
    record: Suppression,
    responses: {
      200: { description: 'The existing suppression.', schema: Suppression },
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
    summary: 'Get a suppression',
    role: 'viewer',
    params: Type.Object({ id: IdText('ID of the suppression.') }, { description: 'Suppression to use.' }),
    responses: { 200: { description: 'The suppression.', schema: Suppression } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...change,
    id: 'suppressions.update',
    path,
    summary: "Update a suppression's expiry or reason, with its ID in the body",
    body: SuppressionChangeWithId,
  }),
  updateById: operation({
    ...change,
    id: 'suppressions.updateById',
    path: `${path}/{id}`,
    summary: "Update a suppression's expiry or reason",
    params: Type.Object({ id: IdText('ID of the suppression.') }, { description: 'Suppression to use.' }),
    body: SuppressionChange,
  }),
  delete: operation({
    ...removal,
    id: 'suppressions.delete',
    path,
    summary: 'Lift a suppression by query parameter',
    description:
      'Takes effect from the next decision. Lifting a suppression created by a policy does not affect the policy.',
    query: Type.Object({ id: IdText('The suppression to lift.') }, { description: 'Suppression to use.' }),
  }),
  deleteById: operation({
    ...removal,
    id: 'suppressions.deleteById',
    path: `${path}/{id}`,
    summary: 'Lift a suppression',
    params: Type.Object({ id: IdText('ID of the suppression.') }, { description: 'Suppression to use.' }),
  }),
  ofCustomer: operation({
    ...common,
    id: 'suppressions.ofCustomer',
    method: 'GET',
    path: '/api/v1/customers/{customerId}/suppressions',
    summary: "List a customer's suppressions",
    description: 'All of them, newest first, including active cooldowns.',
    role: 'viewer',
    params: Type.Object(
      { customerId: CustomerId('Your own ID of the customer.') },
      { description: 'Customer to read.' },
    ),
    query: Type.Object(
      { includeExpired: Type.Optional(QueryFlag('True: also list expired suppressions.')) },
      { description: 'Filters.' },
    ),
    responses: {
      200: {
        description: 'The suppressions.',
        schema: Type.Object(
          {
            customerId: CustomerId(),
            data: Type.Array(Type.Object(row, { description: 'A suppression.' }), {
              description: 'Suppressions, newest first.',
            }),
            total: Type.Integer({ description: 'Number of suppressions returned.' }),
          },
          { description: 'Suppressions of a customer.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
};
