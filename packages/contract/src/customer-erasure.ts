import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { CustomerId, StringEnum, Timestamp } from './core/schemas.ts';

// Erasure of customers (contract part 1, 4.15; docs/design/api-access.md 16; docs/design/quality.md E20, T25).

/** What a scoped delete may take away. */
export const erasureScopes = ['interactions', 'traces', 'all', 'everything'] as const;
export type ErasureScope = (typeof erasureScopes)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = {
  interactionHistory: count('Rows of history that were no impressions.'),
  interactionSummaries: count('Sums that retention had made of older history.'),
  experimentAssignments: count('Assignments to variants of experiments.'),
  impressions: count('Impressions.'),
};
const scopedCounts = {
  decisionTraces: count('Decision traces.'),
  sealedRecords: Type.Optional(
    count('Sealed records that cannot be opened any more; with the scopes traces, all and everything.'),
  ),
  suppressions: Type.Optional(count('Suppressions; with scope everything.')),
  metricValues: Type.Optional(count('Values of metrics; with scope everything.')),
  segmentMemberships: Type.Optional(count('Memberships in segments; with scope everything.')),
  schemaRows: Type.Optional(count('Rows of schemas; with scope everything.')),
  events: Type.Optional(count('Events of the stream; with scope everything.')),
  deliveries: Type.Optional(count('Deliveries; with scope everything.')),
  journeyEnrollments: Type.Optional(count('Enrollments in journeys; with scope everything.')),
  deadLetters: Type.Optional(count('Failed jobs; with scope everything.')),
};

const receipt = {
  success: Type.Literal(true, { description: 'True.' }),
  customerId: CustomerId('The customer.'),
  total: count('Sum of the counts.'),
  pending: Type.Array(StringEnum(['exports'], { description: 'What.' }), {
    description:
      '`exports`: a job takes the customer out of export files that were written before; empty when nothing is left.',
  }),
  legalHoldOverridden: Type.Boolean({
    description: 'True when what was deleted was under legal hold: erasure is stronger.',
  }),
  timestamp: Timestamp('When it was erased; events from before are not taken any more.'),
};

export const ErasureAnswer = Type.Object(
  { ...receipt, counts: Type.Object(counts, { description: 'Rows that were deleted.' }) },
  { description: 'What was erased.' },
);
export type ErasureAnswer = Static<typeof ErasureAnswer>;

export const ScopedErasureAnswer = Type.Object(
  {
    ...receipt,
    scope: StringEnum(erasureScopes, { description: 'What was to be deleted.' }),
    counts: Type.Object({ ...counts, ...scopedCounts }, { description: 'Rows that were deleted.' }),
  },
  { description: 'What was deleted.' },
);
export type ScopedErasureAnswer = Static<typeof ScopedErasureAnswer>;

const params = Type.Object(
  { customerId: CustomerId("The tenant's own id of the customer.") },
  { description: 'Which customer.' },
);

const common = {
  tag: 'Customers',
  method: 'DELETE',
  auth: 'credential',
  role: 'admin',
  loadClass: 'heavy',
  params,
  audit: [{ action: 'erase', entityType: 'customer_data' }],
  // The deletion stands whether its audit row can be written or not (contract part 1, 4.15).
  transaction: 'own',
} as const;

export const customerErasureOperations = {
  erase: operation({
    ...common,
    id: 'customers.erase',
    path: '/api/v1/customers/{customerId}',
    summary: 'Erase a customer',
    description:
      'Deletes history, its sums and assignments, and sets the counters back. Traces and sealed records stay: scope ' +
      '`everything` of `DELETE /api/v1/customers/{customerId}/data` leaves nothing. Events from before are not taken any ' +
      'more. A second call answers 200 with zeros.',
    responses: { 200: { description: 'What was erased.', schema: ErasureAnswer } },
    errors: ['not_configured'],
  }),
  eraseData: operation({
    ...common,
    id: 'customers.eraseData',
    path: '/api/v1/customers/{customerId}/data',
    summary: 'Delete what is known of a customer',
    description:
      '`interactions`: history and its sums. `traces`: decision traces, and the key of the sealed records. `all`: both, and ' +
      'assignments. `everything`: whatever names the customer, rows of schemas and suppressions included. After `all` and ' +
      '`everything` events from before are not taken any more. Replay of a decision then answers 409 `inputs_unavailable`.',
    headers: Type.Object(
      {
        'X-Confirm-Delete': Type.Optional(
          Type.String({ description: 'The customer id once more, byte for byte, in UTF-8.' }),
        ),
      },
      { description: 'Confirmation.' },
    ),
    query: Type.Object(
      { scope: Type.Optional(StringEnum(erasureScopes, { description: 'What to delete.', default: 'all' })) },
      { description: 'Which part.' },
    ),
    responses: { 200: { description: 'What was deleted.', schema: ScopedErasureAnswer } },
    errors: ['confirmation_mismatch', 'not_configured'],
  }),
};
