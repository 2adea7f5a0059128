import Type, { type Static, type TProperties } from 'typebox';
import { operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, resource } from '../core/resource.ts';
import { CustomerId, Id, IdText, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { customerEventTypes } from './customer-event-types.ts';
import { EnrollmentDeduplication } from './journey-enrollments.ts';

// Triggers (docs/design/api-access.md 12.2).

export const triggerStatuses = ['draft', 'active', 'paused', 'archived'] as const;

export const triggerActionTypes = ['recommend', 'journey_enroll', 'webhook', 'update_attribute'] as const;
export type TriggerActionType = (typeof triggerActionTypes)[number];

/** Other words for actions, on writes. */
export const triggerActionAliases = {
  fire_recommend: 'recommend',
  decision_request: 'recommend',
  enroll_journey: 'journey_enroll',
} as const satisfies Readonly<Record<string, TriggerActionType>>;

/** Settings of each action, as they are read. */
export const actionSettings = {
  recommend: {
    decisionFlowId: Id('Flow that decides. Exactly one of `decisionFlowId` and `decisionFlowKey` is set.'),
    decisionFlowKey: Type.String({ description: 'Key of the flow that decides.' }),
    channel: Type.String({ description: 'Type of the channel to decide for.' }),
    channelId: Id('Channel to decide for.'),
    placement: Type.String({ description: 'Placement to decide for.' }),
    limit: Type.Integer({ description: 'Maximum number of offers. 1 to 50; default 1.' }),
    deliver: Type.Boolean({ description: 'True: also sends the offers. Default false.' }),
  },
  journey_enroll: {
    journeyId: Id('Journey to enroll the customer in.'),
    deduplication: EnrollmentDeduplication,
  },
  webhook: {
    providerId: Id('Notification destination. Replaces `url`, `secret` and `headers`.'),
    url: Type.String({ description: 'Address to call.' }),
    secret: Type.String({ description: 'Signs the calls. Shown as bullets, which keep the stored value when sent.' }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Headers to send. Secrets are shown as bullets.',
    }),
  },
  update_attribute: {
    schemaId: Id('Schema whose row of the customer changes.'),
    set: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: 'New values by column.',
    }),
  },
} as const satisfies Readonly<Record<TriggerActionType, TProperties>>;

/** Keys of the actions' configs. */
export const triggerActionKeys: Readonly<Record<TriggerActionType, readonly string[]>> = {
  recommend: Object.keys(actionSettings.recommend),
  journey_enroll: Object.keys(actionSettings.journey_enroll),
  webhook: Object.keys(actionSettings.webhook),
  update_attribute: Object.keys(actionSettings.update_attribute),
};

/** Settings of an action, as they are read: those of its type. */
export const TriggerActionConfig = Type.Object(
  Type.Partial(
    Type.Object({
      ...actionSettings.recommend,
      ...actionSettings.journey_enroll,
      ...actionSettings.webhook,
      ...actionSettings.update_attribute,
    }),
  ).properties,
  { description: 'Settings of the action: those of its type.' },
);

export const CustomerEventTypeSchema = (description: string) => StringEnum(customerEventTypes, { description });

export const TriggerAction = StringEnum(triggerActionTypes, { description: 'What to do.' });

const actionConfig = JsonObject(
  'Settings of the action. `recommend`: `decisionFlowId` or `decisionFlowKey`, `channel` or `channelId`, `placement`, ' +
    '`limit` (default 1), `deliver` (default false; true also sends the offers). `journey_enroll`: `journeyId`, ' +
    '`deduplication`. `webhook`: `providerId` of a notification destination, or `url` with `secret` and `headers`. ' +
    '`update_attribute`: `schemaId`, and `set` with new values by column. Secrets come back as bullets, which keep the ' +
    'stored value when sent.',
);

const shared = {
  name: Name('Name. Unique among triggers that are not deleted.'),
  description: Type.String({ maxLength: 2000, description: 'What the trigger is for.' }),
  eventType: CustomerEventTypeSchema(
    'Type of event it reacts to. An ingested `purchase` also counts as `outcome.recorded`, `cart_abandon` and ' +
      '`support_call` also as `customer.updated`.',
  ),
  condition: Nullable(
    JsonObject(
      'The event and the customer must match it. A leaf `{ field, operator, value }`, or `{ all: [] }`, `{ any: [] }` or ' +
        '`{ not: ... }` around others, at most 10 levels deep. Fields: `data.*`, `event.type`, `event.channel`, ' +
        '`event.timestamp`, `outcome.*`, `customer.*`, `segments`. Without the field, every operator but `not_exists` is false.',
    ),
    { description: 'What must be true. Null: every event of the type.' },
  ),
  actionConfig,
  priority: Int(0, 100, 'Higher ones fire first. 0 to 100; default 50.'),
  cooldownMs: Int(
    0,
    2_592_000_000,
    'Milliseconds to wait before firing again for the same customer. 0 to 2,592,000,000; default 0.',
  ),
  status: StringEnum(triggerStatuses, { description: 'Only active triggers fire. Default active.' }),
};

/** A rule that acts when something happens to a customer. */
export const Trigger = Type.Object(
  {
    id: Id('ID of the trigger.'),
    tenantId: Id('Tenant.'),
    ...shared,
    actionType: TriggerAction,
    actionConfig: TriggerActionConfig,
    firedCount: Type.Integer({ description: 'How often it fired.' }),
    lastFiredAt: Nullable(Timestamp('Instant.'), { description: 'When it last fired, or null.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A trigger.' },
);
export type Trigger = Static<typeof Trigger>;

const writable = {
  ...shared,
  actionType: StringEnum(
    [
      'recommend',
      'journey_enroll',
      'webhook',
      'update_attribute',
      'fire_recommend',
      'decision_request',
      'enroll_journey',
    ],
    {
      description:
        'What to do. `fire_recommend` and `decision_request` are stored as `recommend`, `enroll_journey` as `journey_enroll`.',
    },
  ),
};

const changes = Type.Partial(Type.Object(writable)).properties;

export const TriggerCreate = Type.Object(
  {
    ...changes,
    name: writable.name,
    eventType: writable.eventType,
    actionType: writable.actionType,
    actionConfig: writable.actionConfig,
  },
  {
    description: 'A new trigger. Defaults: status active, no condition, priority 50, no cooldown.',
    examples: [
      {
        name: 'Save offer after a support call',
        eventType: 'support_call',
        condition: { field: 'data.reason', operator: 'eq', value: 'cancellation' },
        actionType: 'recommend',
        actionConfig: { decisionFlowKey: 'next-best-offer', limit: 1 },
        cooldownMs: 86_400_000,
      },
    ],
  },
);
export type TriggerCreate = Static<typeof TriggerCreate>;

const triggerDraft: Draft<TriggerCreate> = ({ name, marker }) => ({
  name: name('Trigger'),
  description: `Trigger of ${marker}`,
  eventType: 'purchase',
  condition: { field: 'data.amount', operator: 'gte', value: 100 },
  actionType: 'webhook',
  actionConfig: { url: 'https://hooks.example.com/purchases' },
  priority: 60,
  cooldownMs: 3_600_000,
  status: 'active',
});

/** Triggers, described once. */
export const triggerResource = resource({
  entityType: 'trigger',
  name: 'triggers',
  path: 'triggers',
  tag: 'Triggers',
  noun: 'trigger',
  nouns: 'triggers',
  writeRole: 'editor',
  softDelete: true,
  record: Trigger,
  create: TriggerCreate,
  draft: triggerDraft,
  changes,
  page: { usual: 50, maximum: 200 },
  order: {
    text: 'priority, highest first, then id',
    keys: [{ property: 'priority', direction: 'desc' }],
    ids: 'asc',
  },
  search: ['name'],
  filters: {
    status: Type.Optional(shared.status),
    eventType: Type.Optional(shared.eventType),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {},
  files: { idsInside: ['actionConfig'] },
  removal: deleted,
  errors: {
    create: ['reference_not_found', 'not_configured'],
    update: ['reference_not_found', 'not_configured'],
  },
});

const TestEvent = Type.Object(
  {
    type: Type.Optional(CustomerEventTypeSchema("Type. Default: the trigger's eventType.")),
    customerId: CustomerId(),
    data: Type.Optional(JsonObject('What conditions read as `data.*`. Default empty.')),
    outcome: Type.Optional(JsonObject('What conditions read as `outcome.*`: a row of history. Default empty.')),
    channel: Type.Optional(Nullable(Type.String({ maxLength: 64 }), { description: 'Channel of the event.' })),
    timestamp: Type.Optional(Timestamp('When it happens. Default now.')),
  },
  { description: 'An event to try.' },
);

const common = { tag: 'Triggers', auth: 'credential', transaction: 'tenant', loadClass: 'crud', audit: [] } as const;

/** Triggers, and trying them. */
export const triggerOperations = {
  ...recordOperations(triggerResource),
  test: operation({
    ...common,
    id: 'triggers.test',
    method: 'POST',
    path: '/api/v1/triggers/{id}/test',
    summary: 'Check whether a trigger would fire',
    description:
      'Evaluates the event type, the condition and the cooldown, whatever the status of the trigger. Stores nothing and dispatches nothing.',
    role: 'editor',
    params: Type.Object({ id: IdText('ID of the trigger.') }, { description: 'The trigger.' }),
    body: Type.Object(
      { event: TestEvent },
      { description: 'The event.', examples: [{ event: { customerId: 'C-1001', data: { amount: 120 } } }] },
    ),
    responses: {
      200: {
        description: 'Whether it would fire.',
        schema: Type.Object(
          {
            matched: Type.Boolean({ description: 'Whether the trigger would fire.' }),
            reason: Nullable(Type.String(), { description: 'Why it would not fire, or null.' }),
          },
          { description: 'Result.' },
        ),
      },
    },
    errors: ['not_found'],
  }),
};
