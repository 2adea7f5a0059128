import Type, { type Static } from 'typebox';
import { secret } from './core/auth.ts';
import { operation } from './core/operation.ts';
import { cataloguePage, cursorPage, cursorQuery, usualPage } from './core/pages.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from './core/resource.ts';
import { Id, IdText, Int, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { notificationSeverities } from './notifications.ts';

/** What alert rules watch (docs/design/api-access.md 10). */
export const alertMetrics = [
  'acceptance_rate',
  'ctr',
  'conversion_rate',
  'revenue',
  'decision_count',
  'error_rate',
  'selection_frequency',
  'latency_p99',
  'degraded_scoring_rate',
  'cap_block_rate',
  'dlq_depth',
  'outbox_lag_seconds',
] as const;
export type AlertMetric = (typeof alertMetrics)[number];

export const alertOperators = ['gt', 'lt', 'gte', 'lte', 'eq'] as const;
export type AlertOperator = (typeof alertOperators)[number];

export const alertStatuses = ['ok', 'fired', 'cooldown', 'delivery_failed', 'no_data', 'paused'] as const;
export type AlertStatus = (typeof alertStatuses)[number];

export const alertFilterNames = ['offerId', 'channelId', 'decisionFlowKey'] as const;

const Metric = StringEnum(alertMetrics, { description: 'What is watched; see GET /api/v1/alerts/metrics.' });

const Channel = Type.Union(
  [
    Id('Id of a destination.'),
    Type.Object(
      {
        type: Type.Literal('webhook', { description: 'An unsigned POST.' }),
        target: Type.String({ minLength: 1, maxLength: 2048, description: 'Where to, https.' }),
      },
      { additionalProperties: false, description: 'An address of the rule itself.' },
    ),
    Type.Object(
      {
        type: Type.Literal('email', { description: 'A mail.' }),
        target: Type.String({ minLength: 1, maxLength: 254, description: 'One address.' }),
      },
      { additionalProperties: false, description: 'An address of the rule itself.' },
    ),
  ],
  { description: 'Where the alert goes: a destination, or an address.' },
);
export type AlertChannel = Static<typeof Channel>;

const Filters = Type.Object(
  {
    offerId: Type.Optional(Id('Only this offer.')),
    channelId: Type.Optional(Id('Only this channel.')),
    decisionFlowKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only decisions of the flow with this key.' }),
    ),
  },
  { additionalProperties: false, description: 'What is counted; a filter that the metric does not know is refused.' },
);
export type AlertFilters = Static<typeof Filters>;

const writable = {
  name: Name('Name.', 120),
  metric: Metric,
  operator: StringEnum(alertOperators, { description: 'How the value is compared with the threshold.' }),
  threshold: Type.Number({ description: 'What the value is compared with. Rates are shares from 0 to 1.' }),
  windowMinutes: Int(1, 10_080, 'Minutes that the value is taken over.', { default: 5 }),
  channels: Type.Array(Channel, { maxItems: 20, description: 'Where the alert goes.' }),
  cooldownMinutes: Int(0, 10_080, 'Minutes of silence after it fired.', { default: 60 }),
  minSamples: Int(0, 1_000_000, 'With a smaller denominator there is no value.', { default: 1 }),
  filters: Filters,
  enabled: Type.Boolean({ description: 'Rules that are off are not looked at.' }),
};

/** A rule that watches one figure of the tenant. */
export const Alert = Type.Object(
  {
    id: Id('Id of the rule.'),
    tenantId: Id('Tenant.'),
    ...writable,
    status: StringEnum(alertStatuses, { description: 'What came of the last look; `paused` while it is off.' }),
    lastEvaluatedAt: Nullable(Timestamp('Instant.'), { description: 'When it was looked at last, or null.' }),
    lastValue: Nullable(Type.Number(), { description: 'The value then, or null.' }),
    lastFiredAt: Nullable(Timestamp('Instant.'), { description: 'When it fired last, or null.' }),
    version: Type.Integer({ description: 'Starts at 1, rises with every change of the rule.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When the rule last changed.'),
  },
  { description: 'An alert rule.' },
);
export type Alert = Static<typeof Alert>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const AlertCreate = Type.Object(
  {
    ...changes,
    name: writable.name,
    metric: writable.metric,
    operator: writable.operator,
    threshold: writable.threshold,
  },
  {
    description:
      'A new rule. Defaults: windowMinutes 5, channels none, cooldownMinutes 60, minSamples 1, no filters, enabled.',
    examples: [
      { name: 'Clicks fall', metric: 'ctr', operator: 'lt', threshold: 0.01, windowMinutes: 60, minSamples: 500 },
    ],
  },
);
export type AlertCreate = Static<typeof AlertCreate>;

const alertDraft: Draft<AlertCreate> = ({ name, marker }) => ({
  name: name('Rule'),
  metric: 'error_rate',
  operator: 'gt',
  threshold: 0.05,
  windowMinutes: 15,
  channels: [{ type: 'email', target: `${marker.replaceAll(/[^a-z0-9]/gi, '')}@example.com` }],
  cooldownMinutes: 30,
  minSamples: 10,
  filters: {},
  enabled: true,
});

/** Alert rules, described once. */
export const alertResource = resource({
  entityType: 'alert',
  name: 'alerts',
  path: 'alerts',
  tag: 'Alerts',
  noun: 'alert rule',
  nouns: 'alert rules',
  writeRole: 'editor',
  softDelete: false,
  record: Alert,
  create: AlertCreate,
  draft: alertDraft,
  changes,
  page: cataloguePage,
  order: newestFirst,
  search: ['name'],
  filters: { metric: Type.Optional(Metric) },
  queries: {},
  unique: {},
  references: {},
  files: { leftOut: 'they watch what happens and do not decide anything' },
  removal: deleted,
  errors: { create: ['reference_not_found'], update: ['reference_not_found'] },
});

const AlertDelivery = Type.Object(
  {
    channel: Channel,
    ok: Nullable(Type.Boolean(), { description: 'Whether it was taken; null while it is on its way.' }),
    providerMessageId: Nullable(Type.String(), { description: 'How the message is called there, or null.' }),
    error: Nullable(Type.String(), { description: 'What went wrong last, in our words, or null.' }),
  },
  { description: 'What came of the alert at one channel.' },
);
export type AlertDelivery = Static<typeof AlertDelivery>;

const AlertEvent = Type.Object(
  {
    id: Id('Id of the event.'),
    firedAt: Timestamp('When the rule fired.'),
    value: Type.Number({ description: 'The value over the window.' }),
    baseline: Nullable(Type.Number(), { description: 'The value over the window before, or null.' }),
    threshold: Type.Number({ description: 'The threshold then.' }),
    severity: StringEnum(notificationSeverities, { description: 'How bad it is.' }),
    deliveries: Type.Array(AlertDelivery, { description: 'One for each channel.' }),
  },
  { description: 'A time that a rule fired.' },
);
export type AlertEvent = Static<typeof AlertEvent>;

const MetricFacts = Type.Object(
  {
    metric: StringEnum(alertMetrics, { description: 'The metric.' }),
    description: Type.String({ description: 'What it is, over the window.' }),
    unit: StringEnum(['share', 'count', 'ms', 'seconds', 'value'], { description: 'What it is measured in.' }),
    filters: Type.Array(StringEnum(alertFilterNames, { description: 'Filter.' }), {
      description: 'Filters that it knows.',
    }),
    samples: Nullable(Type.String(), { description: 'What minSamples counts; null: it is not looked at.' }),
    needsTraces: Type.Boolean({ description: 'It is empty while decision traces are off.' }),
  },
  { description: 'A metric.' },
);
export type MetricFacts = Static<typeof MetricFacts>;

const common = {
  tag: 'Alerts',
  auth: 'credential',
  loadClass: 'crud',
  transaction: 'tenant',
  role: 'viewer',
  audit: [],
} as const;

/** Alert rules (docs/design/api-access.md 10). */
export const alertOperations = {
  ...recordOperations(alertResource),
  metrics: operation({
    ...common,
    id: 'alerts.metrics',
    method: 'GET',
    path: '/api/v1/alerts/metrics',
    summary: 'List what alert rules can watch',
    responses: {
      200: {
        description: 'The metrics.',
        schema: Type.Object(
          { data: Type.Array(MetricFacts, { description: 'One for each metric.' }) },
          { description: 'The metrics.' },
        ),
      },
    },
    errors: [],
  }),
  events: operation({
    ...common,
    id: 'alerts.events',
    method: 'GET',
    path: '/api/v1/alerts/{id}/events',
    summary: 'List when a rule fired, newest first',
    params: Type.Object({ id: IdText('Id of the rule.') }, { description: 'Which rule.' }),
    query: Type.Object(cursorQuery(usualPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page.', schema: cursorPage(AlertEvent) } },
    errors: ['not_found', 'invalid_cursor'],
  }),
} as const;

export const TickAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True when there are no errors.' }),
    tenantsProcessed: Type.Integer({ description: 'Tenants that were looked at.' }),
    rulesEvaluated: Type.Integer({ description: 'Alert rules that were looked at by this call.' }),
    rulesFired: Type.Integer({ description: 'Those of them that fired.' }),
    errors: Type.Array(
      Type.Object(
        { tenantId: Id('The tenant.'), error: Type.String({ description: 'What failed, without data.' }) },
        { description: 'A failure.' },
      ),
      { description: 'What failed; everything else went on.' },
    ),
    durationMs: Type.Integer({ description: 'How long it took.' }),
    timestamp: Timestamp('When it was done.'),
  },
  { description: 'What a tick did.' },
);
export type TickAnswer = Static<typeof TickAnswer>;

/** What a scheduler outside calls every minute (part 1, 4.12). */
export const tickOperations = {
  tick: operation({
    id: 'cron.tick',
    method: 'POST',
    path: '/api/cron/tick',
    tag: 'Maintenance',
    summary: 'Look at all alert rules and start what is due',
    description:
      'For every tenant. Opened by CRON_TOKEN, or CRON_SECRET while that is unset. The scheduler of the server does the same ' +
      'by itself; whoever calls, each rule is looked at once at a time.',
    auth: secret(['CRON_TOKEN', 'CRON_SECRET'], ['x-cron-token', 'x-cron-secret']),
    role: null,
    errorFormat: 'cron',
    loadClass: 'heavy',
    errors: [],
    transaction: 'own',
    responses: { 200: { description: 'What was done.', schema: TickAnswer } },
    audit: [],
  }),
} as const;
