import Type, { type Static } from 'typebox';
import { algorithmModelOperations } from './algorithm-models.ts';
import { channelOperations } from './channels.ts';
import { contactPolicyOperations } from './contact-policies.ts';
import type { ErrorCode } from './core/errors.ts';
import { exampleId } from './core/examples.ts';
import { type Operation, operation, roles } from './core/operation.ts';
import { Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { creativeOperations } from './creatives.ts';
import { decisionFlowOperations } from './decision-flows.ts';
import { offerOperations } from './offers.ts';
import { qualificationRuleOperations } from './qualification-rules.ts';
import { rankingProfileOperations } from './ranking-profiles.ts';

/** What applying an approval does to the record that it names. */
interface AppliedBy {
  readonly get: Operation;
  readonly create: Operation;
  readonly updateById: Operation;
  readonly deleteById: Operation;
}

/** Entity types that an approval applies by itself, with the operations that do it (part 1, 4.11). */
export const approvedBy = {
  algorithmModel: algorithmModelOperations,
  channel: channelOperations,
  contactPolicy: contactPolicyOperations,
  creative: creativeOperations,
  decisionFlow: decisionFlowOperations,
  offer: offerOperations,
  qualificationRule: qualificationRuleOperations,
  rankingProfile: rankingProfileOperations,
} as const satisfies Readonly<Record<string, AppliedBy>>;

/** An entity type that approvals apply, and that editors make live with an approval only where the tenant wants that. */
export type ApprovableType = keyof typeof approvedBy;

export const isApprovable = (entityType: string): entityType is ApprovableType => Object.hasOwn(approvedBy, entityType);

export const approvalActions = ['create', 'update', 'delete'] as const;
export type ApprovalAction = (typeof approvalActions)[number];

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

const stageStatuses = ['pending', 'approved', 'rejected'] as const;

const stageWords = {
  stageName: Name('What the stage is called.', 120),
  requiredRole: StringEnum(roles, {
    description: 'Lowest role that decides it; whoever decides is an editor at least.',
  }),
};

const ApprovalStage = Type.Object(
  {
    id: Id('Id of the stage.'),
    ordinal: Type.Integer({ description: 'Place in the order, from 1.' }),
    ...stageWords,
    status: StringEnum(stageStatuses, { description: 'What became of it.' }),
    decidedBy: Nullable(Type.String(), { description: 'Id of the person who decided it, or null.' }),
    decidedByName: Nullable(Type.String(), { description: 'Their name, or null.' }),
    comments: Nullable(Type.String(), { description: 'What they said, or null.' }),
    decidedAt: Nullable(Timestamp('Instant.'), { description: 'When, or null.' }),
  },
  { description: 'A stage of an approval.' },
);
export type ApprovalStage = Static<typeof ApprovalStage>;

const asked = {
  entityType: Type.String({
    minLength: 1,
    maxLength: 100,
    description: `Kind of record. Applied by itself: ${Object.keys(approvedBy).join(', ')}; others cannot be approved in the end.`,
  }),
  entityId: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'The record that changes; any text for `create`, where it is not looked at.',
  }),
  entityName: Name('What the record is called, for people.'),
  action: StringEnum(approvalActions, {
    description: 'What is to be done. Publishing a flow is `update` with `publish`.',
  }),
};

const decided = {
  approverId: Nullable(Type.String(), { description: 'Who decided last: id of the person, or null.' }),
  approverName: Nullable(Type.String(), { description: 'Their name, or null.' }),
  comments: Nullable(Type.String(), { description: 'What they said, or null.' }),
  resolvedAt: Nullable(Timestamp('Instant.'), { description: 'When it came to an end, or null.' }),
};

const progress = {
  status: StringEnum(approvalStatuses, { description: 'State of the request.' }),
  currentStage: Nullable(Type.Integer(), { description: 'Ordinal of the stage that awaits a decision, or null.' }),
  appliedEntityId: Nullable(Type.String(), { description: 'The record that was changed or made, or null.' }),
};

/** A request to change a record, as lists show it (part 1, section 2). */
export const Approval = Type.Object(
  {
    id: Id('Id of the request.'),
    ...asked,
    ...progress,
    requesterId: Type.String({ description: 'Id of the person who asked; `system` for keys of the operator.' }),
    requesterName: Type.String({ description: 'Their name.' }),
    payload: Nullable(JsonObject('Proposed values.'), {
      description:
        'The body of the direct POST or PUT; secrets are bullets. Null without one, and in lists where it is large.',
    }),
    payloadBytes: Type.Integer({ description: 'Length of the payload as JSON, in bytes; 0 without one.' }),
    ...decided,
    createdAt: Timestamp('When it was asked.'),
    stages: Type.Array(ApprovalStage, { description: 'In their order.' }),
  },
  { description: 'A request to change a record.' },
);
export type Approval = Static<typeof Approval>;

const ApprovalChange = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into the record.' }),
    before: Type.Unknown({ description: 'Value of the record now; null where there is none.' }),
    after: Type.Unknown({ description: 'Value that is asked for; null where there is to be none.' }),
  },
  { description: 'A value that would change.' },
);
export type ApprovalChange = Static<typeof ApprovalChange>;

/** One request, with what it would change now. */
export const ApprovalDetail = Type.Object(
  {
    ...Approval.properties,
    diff: Type.Array(ApprovalChange, {
      description: 'What the request changes of the record as it is now; empty when there is no such record.',
    }),
    targetFound: Type.Boolean({ description: 'The record is there now.' }),
  },
  { description: 'A request, and its difference to the record now.' },
);
export type ApprovalDetail = Static<typeof ApprovalDetail>;

/** Most stages of one request (docs/design/api-access.md 8). */
const mostStages = 10;

export const ApprovalCreate = Type.Object(
  {
    ...asked,
    payload: Type.Optional(
      JsonObject(
        'Body of the direct POST or PUT without id. A rowVersion or version inside must be the record’s when it is ' +
          'applied. For decisionFlow also `publish: true` and `notes`. It is judged when the last stage approves.',
      ),
    ),
    stages: Type.Optional(
      Type.Array(Type.Object(stageWords, { description: 'A stage.' }), {
        minItems: 1,
        maxItems: mostStages,
        description: 'Who decides, one after the other. Default: one stage of an admin.',
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
    action: StringEnum(['approve', 'reject'], { description: 'What becomes of the open stage.' }),
    comments: Type.Optional(
      Nullable(Type.String({ maxLength: 2000, description: 'Text.' }), { description: 'What to say about it.' }),
    ),
    stage: Type.Optional(
      Int(1, mostStages, 'Ordinal of the stage that is meant; 409 when another one is open by now.'),
    ),
  },
  { description: 'A decision about the open stage.', examples: [{ action: 'approve', comments: 'Fine by me' }] },
);
export type ApprovalDecision = Static<typeof ApprovalDecision>;

export const ApprovalResult = Type.Object(
  { id: Id('Id of the request.'), ...progress, ...decided },
  { description: 'What became of the request.' },
);
export type ApprovalResult = Static<typeof ApprovalResult>;

/** What the direct change can be refused with. */
const ofTheChange = Object.values<AppliedBy>(approvedBy).flatMap(({ create, updateById, deleteById }) =>
  [create, updateById, deleteById].flatMap(({ errors }) => errors),
);

const common = { tag: 'Approvals', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const params = Type.Object({ id: IdText('Id of the request.') }, { description: 'Which request.' });

/** Requests to change governed records, and their decisions (part 1, 4.11; docs/design/api-access.md 8, 22). */
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
          StringEnum([...approvalStatuses, 'all'], { description: 'Only those in this state.', default: 'pending' }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, default: 100, description: 'Requests listed; above 200 it becomes 200.' }),
        ),
      },
      { description: 'Which requests.' },
    ),
    responses: {
      200: {
        description: 'The requests.',
        schema: Type.Array(Approval, { description: 'Newest first.' }),
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
    summary: 'Ask for a change',
    description: 'Nothing is changed until all stages have approved. Target and payload are judged then.',
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
    summary: 'Read one request with what it would change now',
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
      'When the last stage approves, the change is made in the same transaction, as its own route would, with the role of ' +
      'whoever approves; when that is refused, nothing changes and the request stays pending.',
    role: 'editor',
    params,
    idempotent: true,
    body: ApprovalDecision,
    changesCatalogue: true,
    responses: { 200: { description: 'What became of it.', schema: ApprovalResult } },
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
    // Of the last stage of a change; a record that is made or deleted has its own action, a rejection is `reject` alone.
    audit: [
      { action: 'update', entityType: '*' },
      { action: 'approve', entityType: 'approval' },
      { action: 'apply', entityType: 'approval' },
    ],
  }),
} as const;
