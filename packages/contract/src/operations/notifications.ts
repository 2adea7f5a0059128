import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, IdText, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Types of destinations. */
export const notificationKinds = ['slack', 'teams', 'webhook', 'ops_email'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notificationSeverities = ['info', 'warning', 'critical'] as const;
export type NotificationSeverity = (typeof notificationSeverities)[number];

/** Destinations that one call of send reaches at most. */
export const maxDestinations = 20;

const Config = JsonObject(
  'slack, teams: `webhookUrl` (https). webhook: `url` (https), `secret` (16 to 256 characters), ' +
    '`headers` (up to 20). ops_email: `toEmails` (1 to 50), `fromEmail`, `replyTo`. Secrets are returned ' +
    'as eight bullets.',
);

const LastResult = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the destination accepted it.' }),
    at: Timestamp('When it was sent.'),
    error: Nullable(Type.String(), { description: 'What went wrong, or null.' }),
  },
  { description: 'Result of the last message.' },
);

const about = {
  id: Id('ID of the destination.'),
  kind: StringEnum(notificationKinds, { description: "Kind of destination. Can't be changed." }),
  name: Name('Name.', 120),
  enabled: Type.Boolean({ description: 'Nothing is sent to a disabled destination.' }),
};

const times = {
  createdAt: Timestamp('When it was created.'),
  updatedAt: Timestamp('When it last changed.'),
};

/** A new destination as it's returned: without its config. */
const CreatedDestination = Type.Object({ ...about, ...times }, { description: 'A destination, without its config.' });

/** Where notifications go. */
export const NotificationProvider = Type.Object(
  {
    ...about,
    config: Config,
    configSummary: Type.String({ description: 'Host, or the first address and the number of others.' }),
    lastResult: Nullable(LastResult, { description: 'Result of the last message; null before the first one.' }),
    ...times,
  },
  { description: 'A destination for notifications.' },
);
export type NotificationProvider = Static<typeof NotificationProvider>;

const KindOfProvider = Type.Object(
  {
    kind: StringEnum(notificationKinds, { description: 'Kind of destination.' }),
    displayName: Type.String({ description: 'Display name.' }),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the config value.' }),
          label: Type.String({ description: 'Display name.' }),
          type: StringEnum(['url', 'text', 'emails', 'email', 'headers'], { description: 'Format of the value.' }),
          required: Type.Boolean({ description: 'Whether the value is required.' }),
          secret: Type.Boolean({ description: 'Whether the value is secret. Secrets are never returned.' }),
        },
        { description: 'A config value.' },
      ),
      { description: 'Config values.' },
    ),
  },
  { description: 'A kind of destination.' },
);
export type KindOfProvider = Static<typeof KindOfProvider>;

const ProviderPage = Type.Object(
  {
    ...cursorPage(NotificationProvider).properties,
    kinds: Type.Array(KindOfProvider, { description: 'Available kinds of destinations.' }),
  },
  { description: 'A page of destinations.' },
);

export const NotificationProviderCreate = Type.Object(
  { kind: about.kind, name: about.name, config: Config, enabled: Type.Optional(about.enabled) },
  {
    description: 'A new destination. Enabled by default.',
    examples: [{ kind: 'ops_email', name: 'On call', config: { toEmails: ['oncall@example.com'] } }],
  },
);
export type NotificationProviderCreate = Static<typeof NotificationProviderCreate>;

export const NotificationProviderChange = Type.Object(
  {
    kind: Type.Optional(
      StringEnum(notificationKinds, { description: 'Can be sent back unchanged. Any other value returns 400.' }),
    ),
    name: Type.Optional(about.name),
    enabled: Type.Optional(about.enabled),
    config: Type.Optional(JsonObject('Merged into the stored config. Bullets keep a secret; null removes a value.')),
  },
  { description: 'Changes to a destination.', examples: [{ name: 'On call at night' }] },
);
export type NotificationProviderChange = Static<typeof NotificationProviderChange>;

const FieldValue = Type.Union(
  [
    Type.String({ maxLength: 2000, description: 'Text of the message.' }),
    Type.Number({ description: 'Number.' }),
    Type.Boolean({ description: 'Boolean value.' }),
  ],
  { description: 'Value.' },
);

const Field = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200, description: 'Name.' }), value: FieldValue },
  { description: 'A value in the message.' },
);

/** Maximum values in one message. */
const maxFields = 25;

/** What is sent. */
export const NotificationMessage = Type.Object(
  {
    title: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\r\\n]*\\S[^\\r\\n]*$',
      description: 'Title, one line.',
    }),
    message: Type.String({ minLength: 1, maxLength: 4000, description: 'Text of the message.' }),
    severity: Type.Optional(
      StringEnum(notificationSeverities, { description: 'Severity of the alert.', default: 'info' }),
    ),
    fields: Type.Optional(
      Type.Union(
        [
          Type.Array(Field, { maxItems: maxFields, description: 'Values in order.' }),
          Type.Unsafe<Record<string, Static<typeof FieldValue>>>(
            Type.Object(
              {},
              { additionalProperties: FieldValue, maxProperties: maxFields, description: 'Values by name.' },
            ),
          ),
        ],
        { description: 'Values: a list of names and values, or an object.' },
      ),
    ),
    sourceUrl: Type.Optional(
      Type.String({ maxLength: 2048, pattern: '^https://\\S+$', description: 'Link for details. HTTPS only.' }),
    ),
  },
  { description: 'A message.' },
);
export type NotificationMessage = Static<typeof NotificationMessage>;

const SendBody = Type.Object(
  {
    providerIds: Type.Array(Id('ID of a destination.'), {
      minItems: 1,
      maxItems: maxDestinations,
      description: 'Destinations to send to. A destination listed more than once receives the message once.',
    }),
    notification: NotificationMessage,
  },
  {
    description: 'A message and its destinations.',
    examples: [
      {
        providerIds: ['0190a1b2-c3d4-7e5f-8a9b-6e6f74696600'],
        notification: { title: 'Campaign is live', message: 'Gold card, all channels.', severity: 'info' },
      },
    ],
  },
);

const SendResult = Type.Object(
  {
    providerId: Id('The destination.'),
    ok: Type.Boolean({ description: 'Whether the destination accepted the message.' }),
    providerMessageId: Type.Optional(Type.String({ description: 'ID of the message at the destination.' })),
    error: Type.Optional(Type.String({ description: 'What went wrong.' })),
  },
  { description: 'Result at one destination.' },
);
export type SendResult = Static<typeof SendResult>;

const SendAnswer = Type.Object(
  { results: Type.Array(SendResult, { description: 'One entry per destination, in the order of the request.' }) },
  { description: 'Result of the message.' },
);

const TestAnswer = Type.Object(
  {
    ok: Type.Literal(true, { description: 'Whether the destination accepted the message.' }),
    latencyMs: Type.Integer({ description: 'Duration of the test.' }),
    providerMessageId: Nullable(Type.String(), { description: 'ID of the message at the destination, or null.' }),
  },
  { description: 'Result of the test.' },
);

const common = { tag: 'Notifications', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const path = '/api/v1/notifications/providers';
const params = Type.Object({ id: IdText('ID of the destination.') }, { description: 'Destination to use.' });
const limit = { limit: 60, windowSeconds: 60, per: 'tenant', bucket: 'notifications' } as const;
const audited = (action: string) => [{ action, entityType: 'notificationProvider' }];

/** Destinations of notifications, and messages to them (docs/design/api-access.md 9, 22). */
export const notificationOperations = {
  list: operation({
    ...common,
    id: 'notificationProviders.list',
    method: 'GET',
    path,
    summary: 'List destinations, newest first',
    role: 'viewer',
    query: Type.Object(cursorQuery(defaultPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page of destinations, and the available kinds.', schema: ProviderPage } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'notificationProviders.create',
    method: 'POST',
    path,
    summary: 'Create a destination',
    role: 'admin',
    body: NotificationProviderCreate,
    record: NotificationProvider,
    responses: { 201: { description: 'The destination.', schema: CreatedDestination } },
    errors: ['config_invalid', 'not_configured', 'limit_reached'],
    audit: audited('create'),
  }),
  get: operation({
    ...common,
    id: 'notificationProviders.get',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Get a destination',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The destination.', schema: NotificationProvider } },
    errors: ['not_found'],
    audit: [],
  }),
  change: operation({
    ...common,
    id: 'notificationProviders.change',
    method: 'PATCH',
    path: `${path}/{id}`,
    summary: 'Update a destination',
    role: 'admin',
    params,
    body: NotificationProviderChange,
    record: NotificationProvider,
    responses: { 200: { description: 'The destination.', schema: NotificationProvider } },
    errors: ['not_found', 'config_invalid', 'not_configured'],
    audit: audited('update'),
  }),
  remove: operation({
    ...common,
    id: 'notificationProviders.remove',
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Delete a destination',
    description: 'Alert rules and reports that use it keep working and note that it was deleted.',
    role: 'admin',
    params,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: audited('delete'),
  }),
  test: operation({
    ...common,
    id: 'notificationProviders.test',
    method: 'POST',
    path: `${path}/{id}/test`,
    summary: 'Send a destination a test message',
    description: 'Makes one attempt of at most 5 seconds. A 502 problem has the same members, with `ok: false`.',
    role: 'admin',
    params,
    rateLimits: [limit],
    transaction: 'own',
    responses: { 200: { description: 'The destination accepted the message.', schema: TestAnswer } },
    errors: ['not_found', 'upstream_failed', 'not_configured'],
    audit: [],
  }),
  send: operation({
    ...common,
    id: 'notifications.send',
    method: 'POST',
    path: '/api/v1/notifications/send',
    summary: 'Send a message to destinations',
    description:
      'Sends to all destinations at once, with one attempt each of at most 5 seconds. Returns 502 if none ' +
      'accepted it; that problem also contains `results`. If a destination is unknown, returns 404 and ' +
      'sends nothing.',
    role: 'admin',
    idempotent: true,
    rateLimits: [limit],
    transaction: 'own',
    body: SendBody,
    responses: { 200: { description: 'At least one destination accepted it.', schema: SendAnswer } },
    errors: ['not_found', 'upstream_failed'],
    audit: [],
  }),
} as const;
