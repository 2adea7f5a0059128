import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, usualPage } from './core/pages.ts';
import { Id, IdText, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

/** What destinations there are (part 1, section 2). */
export const notificationKinds = ['slack', 'teams', 'webhook', 'ops_email'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notificationSeverities = ['info', 'warning', 'critical'] as const;
export type NotificationSeverity = (typeof notificationSeverities)[number];

/** Destinations that one call of send reaches at most. */
export const mostDestinations = 20;

const Config = JsonObject(
  'slack, teams: `webhookUrl` (https). webhook: `url` (https), `secret` (16 to 256 characters), `headers` (up to 20). ' +
    'ops_email: `toEmails` (1 to 50), `fromEmail`, `replyTo`. Secrets are shown as eight bullets.',
);

const LastResult = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether it was taken.' }),
    at: Timestamp('When.'),
    error: Nullable(Type.String(), { description: 'What went wrong, in our words, or null.' }),
  },
  { description: 'What came of the last message.' },
);

const about = {
  id: Id('Id of the destination.'),
  kind: StringEnum(notificationKinds, { description: 'What kind of destination it is; never changes.' }),
  name: Name('Name.', 120),
  enabled: Type.Boolean({ description: 'Nothing is sent to a destination that is off.' }),
};

const times = {
  createdAt: Timestamp('When it was made.'),
  updatedAt: Timestamp('When it last changed.'),
};

/** A destination as it is answered when it was made: without its config. */
const MadeProvider = Type.Object({ ...about, ...times }, { description: 'A destination, without its config.' });

/** Where notifications go. */
export const NotificationProvider = Type.Object(
  {
    ...about,
    config: Config,
    configSummary: Type.String({ description: 'Host, or first address and how many more.' }),
    lastResult: Nullable(LastResult, { description: 'What came of the last message; null before the first.' }),
    ...times,
  },
  { description: 'A destination of notifications.' },
);
export type NotificationProvider = Static<typeof NotificationProvider>;

const KindOfProvider = Type.Object(
  {
    kind: StringEnum(notificationKinds, { description: 'The kind.' }),
    displayName: Type.String({ description: 'What people call it.' }),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the value in the config.' }),
          label: Type.String({ description: 'What people call it.' }),
          type: StringEnum(['url', 'text', 'emails', 'email', 'headers'], { description: 'What it looks like.' }),
          required: Type.Boolean({ description: 'It must be given.' }),
          secret: Type.Boolean({ description: 'It is never shown.' }),
        },
        { description: 'A value of the config.' },
      ),
      { description: 'Values of its config.' },
    ),
  },
  { description: 'A kind of destination.' },
);
export type KindOfProvider = Static<typeof KindOfProvider>;

const ProviderPage = Type.Object(
  {
    ...cursorPage(NotificationProvider).properties,
    kinds: Type.Array(KindOfProvider, { description: 'Kinds of destinations that there are.' }),
  },
  { description: 'A page of destinations.' },
);

export const NotificationProviderCreate = Type.Object(
  { kind: about.kind, name: about.name, config: Config, enabled: Type.Optional(about.enabled) },
  {
    description: 'A new destination. Default: enabled.',
    examples: [{ kind: 'ops_email', name: 'On call', config: { toEmails: ['oncall@example.com'] } }],
  },
);
export type NotificationProviderCreate = Static<typeof NotificationProviderCreate>;

export const NotificationProviderChange = Type.Object(
  {
    kind: Type.Optional(StringEnum(notificationKinds, { description: 'May be sent as it is; another one is 400.' })),
    name: Type.Optional(about.name),
    enabled: Type.Optional(about.enabled),
    config: Type.Optional(
      JsonObject('Merged into the config that is stored; bullets keep a secret, null takes a value away.'),
    ),
  },
  { description: 'Changes of a destination.', examples: [{ name: 'On call by night' }] },
);
export type NotificationProviderChange = Static<typeof NotificationProviderChange>;

const FieldValue = Type.Union(
  [
    Type.String({ maxLength: 2000, description: 'Text.' }),
    Type.Number({ description: 'Number.' }),
    Type.Boolean({ description: 'Yes or no.' }),
  ],
  { description: 'Value.' },
);

const Field = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200, description: 'Name.' }), value: FieldValue },
  { description: 'A value of the message.' },
);

/** Most values of one message. */
const mostFields = 25;

/** What is sent. */
export const NotificationMessage = Type.Object(
  {
    title: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\r\\n]*\\S[^\\r\\n]*$',
      description: 'Title, one line.',
    }),
    message: Type.String({ minLength: 1, maxLength: 4000, description: 'Text.' }),
    severity: Type.Optional(StringEnum(notificationSeverities, { description: 'How bad it is.', default: 'info' })),
    fields: Type.Optional(
      Type.Union(
        [
          Type.Array(Field, { maxItems: mostFields, description: 'Values in their order.' }),
          Type.Unsafe<Record<string, Static<typeof FieldValue>>>(
            Type.Object(
              {},
              { additionalProperties: FieldValue, maxProperties: mostFields, description: 'Values by name.' },
            ),
          ),
        ],
        { description: 'Values: a list of names and values, or an object.' },
      ),
    ),
    sourceUrl: Type.Optional(
      Type.String({ maxLength: 2048, pattern: '^https://\\S+$', description: 'Where to look, https.' }),
    ),
  },
  { description: 'A message.' },
);
export type NotificationMessage = Static<typeof NotificationMessage>;

const SendBody = Type.Object(
  {
    providerIds: Type.Array(Id('Id of a destination.'), {
      minItems: 1,
      maxItems: mostDestinations,
      description: 'Destinations to send to. A destination listed more than once receives the message once.',
    }),
    notification: NotificationMessage,
  },
  {
    description: 'A message and where it goes.',
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
    ok: Type.Boolean({ description: 'It took the message.' }),
    providerMessageId: Type.Optional(Type.String({ description: 'How the message is called there.' })),
    error: Type.Optional(Type.String({ description: 'What went wrong, in our words.' })),
  },
  { description: 'What came of the message at one destination.' },
);
export type SendResult = Static<typeof SendResult>;

const SendAnswer = Type.Object(
  { results: Type.Array(SendResult, { description: 'One for each destination, in the order asked for.' }) },
  { description: 'What came of a message.' },
);

const TestAnswer = Type.Object(
  {
    ok: Type.Literal(true, { description: 'It took the message.' }),
    latencyMs: Type.Integer({ description: 'How long it took.' }),
    providerMessageId: Nullable(Type.String(), { description: 'How the message is called there, or null.' }),
  },
  { description: 'What came of the probe.' },
);

const common = { tag: 'Notifications', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const path = '/api/v1/notifications/providers';
const params = Type.Object({ id: IdText('Id of the destination.') }, { description: 'Which destination.' });
const limit = { limit: 60, windowSeconds: 60, per: 'tenant', bucket: 'notifications' } as const;
const audited = (action: string) => [{ action, entityType: 'notificationProvider' }];

/** Destinations of notifications, and messages to them (part 1, 4.9; docs/design/api-access.md 9, 22). */
export const notificationOperations = {
  list: operation({
    ...common,
    id: 'notificationProviders.list',
    method: 'GET',
    path,
    summary: 'List destinations, newest first',
    role: 'viewer',
    query: Type.Object(cursorQuery(usualPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page, and the kinds that there are.', schema: ProviderPage } },
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
    responses: { 201: { description: 'The destination.', schema: MadeProvider } },
    errors: ['config_invalid', 'not_configured', 'limit_reached'],
    audit: audited('create'),
  }),
  get: operation({
    ...common,
    id: 'notificationProviders.get',
    method: 'GET',
    path: `${path}/{id}`,
    summary: 'Read one destination',
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
    summary: 'Change a destination',
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
    description: 'Alert rules and reports that name it go on, and note that it is gone.',
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
    description: 'One try, at most 5 seconds. The problem of a 502 has the same members, and `ok: false`.',
    role: 'admin',
    params,
    rateLimits: [limit],
    transaction: 'own',
    responses: { 200: { description: 'It was taken.', schema: TestAnswer } },
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
      'To all at once, one try each, at most 5 seconds. 502 when none took it; its problem then has the `results` too. An ' +
      'unknown destination is 404, and nothing is sent.',
    role: 'admin',
    idempotent: true,
    rateLimits: [limit],
    transaction: 'own',
    body: SendBody,
    responses: { 200: { description: 'One at least took it.', schema: SendAnswer } },
    errors: ['not_found', 'upstream_failed'],
    audit: [],
  }),
} as const;
