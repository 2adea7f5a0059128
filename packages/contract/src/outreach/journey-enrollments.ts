import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { CustomerId, Id, IdText, JsonObject, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { JourneyStep } from './journey-nodes.ts';

export const enrollmentStatuses = ['active', 'waiting', 'completed', 'exited', 'failed', 'expired'] as const;
export type EnrollmentStatus = (typeof enrollmentStatuses)[number];

/** What to do if the customer is already in the journey. */
export const enrollmentDeduplications = ['skip_if_active', 'restart', 'allow_multiple'] as const;
export type EnrollmentDeduplication = (typeof enrollmentDeduplications)[number];

export const EnrollmentDeduplication = StringEnum(enrollmentDeduplications, {
  description:
    'What to do if the customer is already in the journey. skip_if_active: keep the running enrollment. restart: exit it ' +
    'and begin again. allow_multiple: begin another one. Default skip_if_active.',
});

const Context = JsonObject('Values that conditions read as `data.*`. At most 64 KiB as JSON.');

/** Latest steps that an enrollment shows. */
export const maxStepsShown = 500;

export const JourneyEnrollment = Type.Object(
  {
    id: Id('ID of the enrollment.'),
    journeyId: Id('Journey.'),
    journeyVersion: Type.Integer({ description: 'Version of the journey that the enrollment follows until it ends.' }),
    customerId: CustomerId(),
    status: StringEnum(enrollmentStatuses, {
      description:
        'active and waiting run. completed: reached the end. exited: ended early. failed: a step failed for good. expired: ' +
        'maxDurationDays is over.',
    }),
    currentNodeId: Nullable(Type.String(), { description: 'Next node, or the wait it is in. Null once it has ended.' }),
    resumeAt: Nullable(Timestamp('Instant.'), { description: 'When the wait ends. Null if it is not waiting.' }),
    context: Context,
    history: Type.Array(
      Type.Object(
        {
          ...JourneyStep.properties,
          at: Timestamp('When the step was taken.'),
        },
        { description: 'A step.' },
      ),
      { description: `Steps in order. Of more than ${maxStepsShown}, the latest. Empty in lists.` },
    ),
    startedAt: Timestamp('When it began.'),
    expiresAt: Timestamp('When it expires.'),
    endedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended, or null.' }),
    exitReason: Nullable(Type.String(), { description: 'Why it ended, or null.' }),
  },
  { description: 'A customer in a journey.' },
);
export type JourneyEnrollment = Static<typeof JourneyEnrollment>;

const customer = { customerId: CustomerId(), context: Type.Optional(Context) };

const common = {
  tag: 'Journeys',
  auth: 'credential',
  loadClass: 'crud',
  transaction: 'tenant',
} as const;

const params = Type.Object({ id: IdText('ID of the journey.') }, { description: 'The journey.' });
const enrollmentParams = Type.Object(
  { id: IdText('ID of the journey.'), eid: IdText('ID of the enrollment.') },
  { description: 'The enrollment.' },
);
const one = { description: 'The enrollment.', schema: JourneyEnrollment };

const NodeFigures = Type.Object(
  {
    nodeId: Type.String({ description: 'Node.' }),
    passed: Type.Integer({ description: 'Steps taken at the node, in all versions.' }),
    current: Type.Integer({ description: 'Running enrollments whose next node this is.' }),
  },
  { description: 'Figures of a node.' },
);

/** Customers in journeys (docs/design/api-access.md 12.3). */
export const journeyEnrollmentOperations = {
  enroll: operation({
    ...common,
    id: 'journeys.enroll',
    method: 'POST',
    path: '/api/v1/journeys/{id}/enroll',
    summary: 'Enroll a customer',
    description:
      'The journey must be active. Answers 201 with a new enrollment, which starts at once, or 200 with the running one ' +
      'that `skip_if_active` keeps.',
    role: 'editor',
    idempotent: true,
    params,
    body: Type.Object(
      { ...customer, deduplication: Type.Optional(EnrollmentDeduplication) },
      { description: 'Whom to enroll.', examples: [{ customerId: 'C-1001', context: { cartValue: 120 } }] },
    ),
    responses: { 200: { ...one, description: 'The running enrollment.' }, 201: one },
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'create', entityType: 'journeyEnrollment' }],
  }),
  enrollments: operation({
    ...common,
    id: 'journeys.enrollments',
    method: 'GET',
    path: '/api/v1/journeys/{id}/enrollments',
    summary: 'List enrollments, newest first',
    role: 'viewer',
    params,
    query: Type.Object(
      {
        ...cursorQuery(defaultPage),
        status: Type.Optional(StringEnum(enrollmentStatuses, { description: 'Status to list.' })),
        customerId: Type.Optional(CustomerId('Customer to list.')),
      },
      { description: 'Page and filters.' },
    ),
    responses: { 200: { description: 'A page of enrollments.', schema: cursorPage(JourneyEnrollment) } },
    errors: ['not_found', 'invalid_cursor'],
    audit: [],
  }),
  enrollment: operation({
    ...common,
    id: 'journeys.enrollment',
    method: 'GET',
    path: '/api/v1/journeys/{id}/enrollments/{eid}',
    summary: 'Get an enrollment with its history',
    role: 'viewer',
    params: enrollmentParams,
    responses: { 200: one },
    errors: ['not_found'],
    audit: [],
  }),
  exit: operation({
    ...common,
    id: 'journeys.exit',
    method: 'POST',
    path: '/api/v1/journeys/{id}/enrollments/{eid}/exit',
    summary: 'End an enrollment early',
    role: 'editor',
    params: enrollmentParams,
    body: Type.Object(
      {
        reason: Type.Optional(
          Type.String({ minLength: 1, maxLength: 255, description: 'Why. Default `exited by a user`.' }),
        ),
      },
      { description: 'Why the enrollment ends.', examples: [{ reason: 'asked to stop' }] },
    ),
    responses: { 200: one },
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'update', entityType: 'journeyEnrollment' }],
  }),
  stats: operation({
    ...common,
    id: 'journeys.stats',
    method: 'GET',
    path: '/api/v1/journeys/{id}/stats',
    summary: 'Get statistics of a journey',
    role: 'viewer',
    params,
    responses: {
      200: {
        description: 'Counts over all stored enrollments.',
        schema: Type.Object(
          {
            entered: Type.Integer({ description: 'All enrollments.' }),
            active: Type.Integer({ description: 'Running enrollments, including waiting ones.' }),
            completed: Type.Integer({ description: 'Enrollments that reached the end.' }),
            exited: Type.Integer({ description: 'Enrollments that ended early.' }),
            failed: Type.Integer({ description: 'Enrollments with a failed step.' }),
            expired: Type.Integer({ description: 'Enrollments whose time was over.' }),
            byNode: Type.Array(NodeFigures, { description: 'One entry per node, in the order of the definition.' }),
          },
          { description: 'Counts.' },
        ),
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
  test: operation({
    ...common,
    id: 'journeys.test',
    method: 'POST',
    path: '/api/v1/journeys/{id}/test',
    summary: 'Try a journey for one customer',
    description:
      'Walks through the journey as it is now, in any status, and stores and sends nothing. Decisions are simulated and ' +
      'waits end at once. A cycle is walked once.',
    role: 'editor',
    transaction: 'own',
    params,
    body: Type.Object(customer, {
      description: 'For whom to try it.',
      examples: [{ customerId: 'C-1001', context: { cartValue: 120 } }],
    }),
    responses: {
      200: {
        description: 'The path taken.',
        schema: Type.Object(
          {
            enrolls: Type.Boolean({ description: 'Whether the customer would be enrolled.' }),
            reason: Nullable(Type.String(), { description: 'Why not, or how the path ended. Null at a plain end.' }),
            path: Type.Array(JourneyStep, { description: 'Steps in order.' }),
            context: JsonObject('The context at the end, with the results of decisions.'),
          },
          {
            description: 'A dry run.',
            examples: [
              {
                enrolls: true,
                reason: 'large cart',
                path: [{ nodeId: 'start', type: 'entry_trigger', result: 'entered', detail: null }],
                context: { cartValue: 120, journeyId: exampleId('journey') },
              },
            ],
          },
        ),
      },
    },
    errors: ['not_found', 'flow_not_published'],
    audit: [],
  }),
};

/** Largest context, in bytes of JSON. */
export const maxContextBytes = 64 * 1024;

/** Days that an enrollment runs at most if the journey doesn't say. */
export const defaultDurationDays = 30;
