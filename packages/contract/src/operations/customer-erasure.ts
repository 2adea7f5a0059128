import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { CustomerId, StringEnum, Timestamp } from '../core/schemas.ts';

// Erasure of customers (docs/design/api-access.md 16; docs/design/quality.md E20, T25).

/** What a scoped delete may remove. */
export const erasureScopes = ['interactions', 'traces', 'all', 'everything'] as const;
export type ErasureScope = (typeof erasureScopes)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = {
  interactionHistory: count('Rows of history other than impressions.'),
  interactionSummaries: count('Summaries that retention made of older history.'),
  experimentAssignments: count('Experiment assignments.'),
  impressions: count('Impressions.'),
};
const scopedCounts = {
  decisionTraces: count('Decision traces.'),
  sealedRecords: Type.Optional(
    count('Sealed records that can no longer be opened. With the scopes traces, all and everything.'),
  ),
  suppressions: Type.Optional(count('Suppressions. With scope everything.')),
  metricValues: Type.Optional(count('Metric values. With scope everything.')),
  segmentMemberships: Type.Optional(count('Segment memberships. With scope everything.')),
  schemaRows: Type.Optional(count('Schema rows. With scope everything.')),
  events: Type.Optional(count('Events in the stream. With scope everything.')),
  deliveries: Type.Optional(count('Deliveries. With scope everything.')),
  journeyEnrollments: Type.Optional(count('Journey enrollments. With scope everything.')),
  deadLetters: Type.Optional(count('Failed jobs. With scope everything.')),
};

const receipt = {
  success: Type.Literal(true, { description: 'Always true.' }),
  customerId: CustomerId('The customer.'),
  total: count('Total of the counts.'),
  pending: Type.Array(StringEnum(['exports'], { description: 'Name of the job.' }), {
    description:
      '`exports`: a job will remove the customer from files exported earlier. Empty if nothing is left to do.',
  }),
  legalHoldOverridden: Type.Boolean({
    description: 'True if deleted data was under legal hold. Erasure overrides legal hold.',
  }),
  timestamp: Timestamp('When the customer was erased. Earlier events are no longer accepted.'),
};

export const ErasureAnswer = Type.Object(
  { ...receipt, counts: Type.Object(counts, { description: 'Number of deleted rows.' }) },
  { description: 'Result of the erasure.' },
);
export type ErasureAnswer = Static<typeof ErasureAnswer>;

export const ScopedErasureAnswer = Type.Object(
  {
    ...receipt,
    scope: StringEnum(erasureScopes, { description: 'Requested scope.' }),
    counts: Type.Object({ ...counts, ...scopedCounts }, { description: 'Number of deleted rows.' }),
  },
  { description: 'What was deleted.' },
);
export type ScopedErasureAnswer = Static<typeof ScopedErasureAnswer>;

const params = Type.Object(
  { customerId: CustomerId('Your own ID of the customer.') },
  { description: 'Customer to erase.' },
);

const common = {
  tag: 'Customers',
  method: 'DELETE',
  auth: 'credential',
  role: 'admin',
  loadClass: 'heavy',
  params,
  audit: [{ action: 'erase', entityType: 'customer_data' }],
  // The deletion is final even if its audit row can't be written.
  transaction: 'own',
} as const;

export const customerErasureOperations = {
  erase: operation({
    ...common,
    id: 'customers.erase',
    path: '/api/v1/customers/{customerId}',
    summary: 'Erase a customer',
    description:
      'Deletes history, summaries and assignments, and resets the counters. Traces and sealed records ' +
      'stay; to delete everything, use scope `everything` of `DELETE /api/v1/customers/{customerId}/data`. ' +
      'Events from before the erasure are no longer accepted. A second call returns 200 with zeros.',
    responses: { 200: { description: 'Result of the erasure.', schema: ErasureAnswer } },
    errors: ['not_configured'],
  }),
  eraseData: operation({
    ...common,
    id: 'customers.eraseData',
    path: '/api/v1/customers/{customerId}/data',
    summary: "Delete a customer's data",
    description:
      '`interactions`: history and summaries. `traces`: decision traces and the key of the sealed records. ' +
      '`all`: both, plus assignments; schema rows and suppressions stay. `everything`: all data that refers to the ' +
      'customer, including those. After `all` and `everything`, events from before the erasure are no longer ' +
      "accepted. Replaying one of the customer's decisions then returns 409 `inputs_unavailable`.",
    headers: Type.Object(
      {
        'X-Confirm-Delete': Type.Optional(
          Type.String({ description: 'The customer ID again, byte for byte, in UTF-8.' }),
        ),
      },
      { description: 'Confirmation.' },
    ),
    query: Type.Object(
      { scope: Type.Optional(StringEnum(erasureScopes, { description: 'What to delete.', default: 'all' })) },
      { description: 'Scope to delete.' },
    ),
    responses: { 200: { description: 'What was deleted.', schema: ScopedErasureAnswer } },
    errors: ['confirmation_mismatch', 'not_configured'],
  }),
};
