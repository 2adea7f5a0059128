import Type, { type Static } from 'typebox';
import { algorithmModelOperations } from '../catalogue/algorithm-models.ts';
import { channelOperations } from '../catalogue/channels.ts';
import { contactPolicyOperations } from '../catalogue/contact-policies.ts';
import { creativeOperations } from '../catalogue/creatives.ts';
import { decisionFlowOperations } from '../catalogue/decision-flows.ts';
import { experimentOperations } from '../catalogue/experiments.ts';
import { offerOperations } from '../catalogue/offers.ts';
import { qualificationRuleOperations } from '../catalogue/qualification-rules.ts';
import { rankingProfileOperations } from '../catalogue/ranking-profiles.ts';
import type { ErrorCode } from '../core/errors.ts';
import { exampleId } from '../core/examples.ts';
import { type Operation, operation, roles } from '../core/operation.ts';
import { Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { journeyOperations } from '../outreach/journeys.ts';
import { triggerOperations } from '../outreach/triggers.ts';

/** What applying an approval does to its record. */
interface AppliedBy {
  readonly get: Operation;
  readonly create: Operation;
  readonly updateById: Operation;
  readonly deleteById: Operation;
}

/** Entity types that an approval applies on its own, with the operations that do it. */
export const approvedBy = {
  algorithmModel: algorithmModelOperations,
  channel: channelOperations,
  contactPolicy: contactPolicyOperations,
  creative: creativeOperations,
  decisionFlow: decisionFlowOperations,
  experiment: experimentOperations,
  journey: journeyOperations,
  offer: offerOperations,
  qualificationRule: qualificationRuleOperations,
  rankingProfile: rankingProfileOperations,
  trigger: triggerOperations,
} as const satisfies Readonly<Record<string, AppliedBy>>;

/** Types of records that approvals can change. Tenants can require an approval before editors make one live. */
export type ApprovableType = keyof typeof approvedBy;

export const isApprovable = (entityType: string): entityType is ApprovableType => Object.hasOwn(approvedBy, entityType);

export const approvalActions = ['create', 'update', 'delete'] as const;
export type ApprovalAction = (typeof approvalActions)[number];

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

const stageStatuses = ['pending', 'approved', 'rejected'] as const;

const stageWords = {
  stageName: Name('Name of the stage.', 120),
  requiredRole: StringEnum(roles, {
    description: 'Minimum role to decide the stage. Reviewers must be at least editors.',
  }),
};

const ApprovalStage = Type.Object(
  {
    id: Id('ID of the stage.'),
    ordinal: Type.Integer({ description: 'Position in the order, from 1.' }),
    ...stageWords,
    status: StringEnum(stageStatuses, { description: 'Result of the stage.' }),
    decidedBy: Nullable(Type.String(), {
      description: 'ID of the user who decided the stage. Null until then.',
    }),
    decidedByName: Nullable(Type.String(), { description: 'Name of that user, or null.' }),
    comments: Nullable(Type.String(), { description: 'Comment of that user, or null.' }),
    decidedAt: Nullable(Timestamp('Instant.'), { description: 'When it was decided, or null.' }),
  },
  { description: 'A stage of an approval.' },
);
export type ApprovalStage = Static<typeof ApprovalStage>;

const requestFields = {
  entityType: Type.String({
    minLength: 1,
    maxLength: 100,
    description: `Kind of record. Applied automatically on approval: ${Object.keys(approvedBy).join(', ')}. Other kinds can't be approved.`,
  }),
  entityId: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'ID of the record to change. For `create`, any text; it is not used.',
  }),
  entityName: Name('Display name of the record.'),
  action: StringEnum(approvalActions, {
    description: 'Change to make. Publishing a flow is `update` with `publish`.',
  }),
};

const decided = {
  approverId: Nullable(Type.String(), {
    description: 'ID of the last user to approve or reject the request. Null before the first review.',
  }),
  approverName: Nullable(Type.String(), { description: 'Name of that user, or null.' }),
  comments: Nullable(Type.String(), { description: 'Comment of that user, or null.' }),
  resolvedAt: Nullable(Timestamp('Instant.'), { description: 'When the request was closed, or null.' }),
};

const progress = {
  status: StringEnum(approvalStatuses, { description: 'Status of the request.' }),
  currentStage: Nullable(Type.Integer(), { description: 'Ordinal of the stage waiting for a decision, or null.' }),
  appliedEntityId: Nullable(Type.String(), { description: 'ID of the changed or created record, or null.' }),
};

/** A request to change a record, as lists show it. */
export const Approval = Type.Object(
  {
    id: Id('ID of the request.'),
    ...requestFields,
    ...progress,
    requesterId: Type.String({ description: 'ID of the requester; `system` for operator keys.' }),
    requesterName: Type.String({ description: 'Name of the requester.' }),
    payload: Nullable(JsonObject('Proposed values.'), {
      description:
        'Body of the direct POST or PUT, with secrets masked. Null if the call has no body, and in lists if it is large.',
    }),
    payloadBytes: Type.Integer({ description: 'Size of the payload as JSON, in bytes; 0 without a payload.' }),
    ...decided,
    createdAt: Timestamp('When the request was created.'),
    expiresAt: Nullable(Timestamp('Instant.'), {
      description:
        'When the request expires if nobody decides it; null once it is closed. The server closes expired requests within 15 minutes.',
    }),
    stages: Type.Array(ApprovalStage, { description: 'Stages in order.' }),
  },
  { description: 'A request to change a record.' },
);
export type Approval = Static<typeof Approval>;

const ApprovalChange = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the record.' }),
    before: Type.Unknown({ description: 'Current value in the record, or null.' }),
    after: Type.Unknown({ description: 'Requested value; null to remove it.' }),
  },
  { description: 'One value that would change.' },
);
export type ApprovalChange = Static<typeof ApprovalChange>;

/** One request, with what it would change now. */
export const ApprovalDetail = Type.Object(
  {
    ...Approval.properties,
    diff: Type.Array(ApprovalChange, {
      description: "Differences between the request and the current record. Empty if the record doesn't exist.",
    }),
    targetFound: Type.Boolean({ description: 'Whether the record exists.' }),
  },
  { description: 'A request with its differences to the current record.' },
);
export type ApprovalDetail = Static<typeof ApprovalDetail>;

/** Maximum stages of one request (docs/design/api-access.md 8). */
const maxStages = 10;

export const ApprovalCreate = Type.Object(
  {
    ...requestFields,
    payload: Type.Optional(
      JsonObject(
        'Body of the direct POST or PUT, without the ID. If it contains `rowVersion` or `version`, that must ' +
          'match the record when the request is applied. For `decisionFlow` also `publish: true` and `notes`. ' +
          'Validated when the last stage approves.',
      ),
    ),
    stages: Type.Optional(
      Type.Array(Type.Object(stageWords, { description: 'A stage.' }), {
        minItems: 1,
        maxItems: maxStages,
        description: 'Stages of review, in order. Default: one stage for an admin.',
      }),
    ),
  },
  {
    description: 'A new request.',
    examples: [
      {
        entityType: 'offer',
        entityId: exampleId('offer'),
        entityName: 'Gold card',
        action: 'update',
        payload: { status: 'active' },
        stages: [{ stageName: 'Business', requiredRole: 'editor' }],
      },
    ],
  },
);
export type ApprovalCreate = Static<typeof ApprovalCreate>;

export const ApprovalDecision = Type.Object(
  {
    action: StringEnum(['approve', 'reject'], { description: 'Decision for the open stage.' }),
    comments: Type.Optional(
      Nullable(Type.String({ maxLength: 2000, description: 'Text of the comment.' }), { description: 'Comment.' }),
    ),
    stage: Type.Optional(
      Int(1, maxStages, "Ordinal of the stage you're deciding. Returns 409 if another stage is open by now."),
    ),
  },
  { description: 'A decision for the open stage.', examples: [{ action: 'approve', comments: 'Looks good to me' }] },
);
export type ApprovalDecision = Static<typeof ApprovalDecision>;

export const ApprovalResult = Type.Object(
  { id: Id('ID of the request.'), ...progress, ...decided },
  { description: 'Status of the request.' },
);
export type ApprovalResult = Static<typeof ApprovalResult>;

/** The error codes of the direct change. */
const ofTheChange = Object.values<AppliedBy>(approvedBy).flatMap(({ create, updateById, deleteById }) =>
  [create, updateById, deleteById].flatMap(({ errors }) => errors),
);

const common = { tag: 'Approvals', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const params = Type.Object({ id: IdText('ID of the request.') }, { description: 'Request to read.' });

/** Requests to change governed records, and their decisions (docs/design/api-access.md 8, 22). */
export const approvalOperations = {
  list: operation({
    ...common,
    id: 'approvals.list',
    method: 'GET',
    path: '/api/v1/approvals',
    summary: 'List approval requests, newest first',
    role: 'viewer',
    query: Type.Object(
      {
        status: Type.Optional(
          StringEnum([...approvalStatuses, 'all'], { description: 'Status to filter by.', default: 'pending' }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, default: 100, description: 'Page size. Values above 200 are treated as 200.' }),
        ),
      },
      { description: 'Filters.' },
    ),
    responses: {
      200: {
        description: 'Approval requests.',
        schema: Type.Array(Approval, { description: 'Requests, newest first.' }),
      },
    },
    errors: [],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'approvals.create',
    method: 'POST',
    path: '/api/v1/approvals',
    summary: 'Request a change',
    description: 'Nothing changes until every stage has approved. Target and payload are validated at that time.',
    role: 'viewer',
    idempotent: true,
    body: ApprovalCreate,
    record: Approval,
    responses: { 201: { description: 'The request.', schema: Approval } },
    errors: ['limit_reached', 'not_configured'],
    audit: [{ action: 'create', entityType: 'approval' }],
  }),
  get: operation({
    ...common,
    id: 'approvals.get',
    method: 'GET',
    path: '/api/v1/approvals/{id}',
    summary: 'Get a request with the changes it would make now',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The request.', schema: ApprovalDetail } },
    errors: ['not_found'],
    audit: [],
  }),
  decide: operation({
    ...common,
    id: 'approvals.decide',
    method: 'POST',
    path: '/api/v1/approvals/{id}',
    summary: 'Approve or reject the open stage',
    description:
      'When the last stage approves, the change is made in the same transaction, as its own route would ' +
      'make it, with the role of the approver. If the change is rejected, nothing changes and the request ' +
      'stays pending.',
    role: 'editor',
    params,
    idempotent: true,
    body: ApprovalDecision,
    changesCatalogue: true,
    responses: { 200: { description: 'Result of the decision.', schema: ApprovalResult } },
    errors: [
      ...new Set<ErrorCode>([
        'not_found',
        'self_approval_forbidden',
        'already_resolved',
        'concurrent_modification',
        'unsupported_entity_type',
        'feature_disabled',
        ...decisionFlowOperations.publish.errors,
        ...ofTheChange,
      ]),
    ],
    // The last stage of a change; creating and deleting a record have their own actions, and a rejection is only
    // `reject`.
    audit: [
      { action: 'update', entityType: '*' },
      { action: 'approve', entityType: 'approval' },
      { action: 'apply', entityType: 'approval' },
    ],
  }),
} as const;
