import Type, { type Static } from 'typebox';
import { secret } from '../core/auth.ts';
import { operation } from '../core/operation.ts';
import { cataloguePage, cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, IdText, Int, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
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

const Metric = StringEnum(alertMetrics, { description: 'Metric to watch; see `GET /api/v1/alerts/metrics`.' });

const Channel = Type.Union(
  [
    Id('ID of a destination.'),
    Type.Object(
      {
        type: Type.Literal('webhook', { description: 'An unsigned POST.' }),
        target: Type.String({ minLength: 1, maxLength: 2048, description: 'URL to post to. HTTPS only.' }),
      },
      { additionalProperties: false, description: 'An email address of the rule itself.' },
    ),
    Type.Object(
      {
        type: Type.Literal('email', { description: 'An email.' }),
        target: Type.String({ minLength: 1, maxLength: 254, description: 'Email address.' }),
      },
      { additionalProperties: false, description: 'An email address of the rule itself.' },
    ),
  ],
  { description: 'Where to send the alert: a destination or an email address.' },
);
export type AlertChannel = Static<typeof Channel>;

const Filters = Type.Object(
  {
    offerId: Type.Optional(Id('Offer to filter by.')),
    channelId: Type.Optional(Id('Channel to filter by.')),
    decisionFlowKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Key of the flow whose decisions are counted.' }),
    ),
  },
  {
    additionalProperties: false,
    description: "Restricts what is counted. A filter the metric doesn't support is rejected.",
  },
);
export type AlertFilters = Static<typeof Filters>;

const writable = {
  name: Name('Name.', 120),
  metric: Metric,
  operator: StringEnum(alertOperators, { description: 'How to compare the value with the threshold.' }),
  threshold: Type.Number({ description: 'Threshold for the value. Rates are shares from 0 to 1.' }),
  windowMinutes: Int(1, 10_080, 'Length of the window in minutes.', { default: 5 }),
  channels: Type.Array(Channel, { maxItems: 20, description: 'Where to send the alert.' }),
  cooldownMinutes: Int(0, 10_080, 'Minutes to stay silent after firing.', { default: 60 }),
  minSamples: Int(0, 1_000_000, 'Minimum denominator. With less, there is no value.', { default: 1 }),
  filters: Filters,
  enabled: Type.Boolean({ description: 'Whether the rule is evaluated.' }),
};

/** A rule that watches one figure of the tenant. */
export const Alert = Type.Object(
  {
    id: Id('ID of the rule.'),
    tenantId: Id('Tenant.'),
    ...writable,
    status: StringEnum(alertStatuses, {
      description: 'Result of the last evaluation; `paused` while the rule is disabled.',
    }),
    lastEvaluatedAt: Nullable(Timestamp('Instant.'), { description: 'When the rule was last evaluated, or null.' }),
    lastValue: Nullable(Type.Number(), { description: 'Value at the last evaluation, or null.' }),
    lastFiredAt: Nullable(Timestamp('Instant.'), { description: 'When the rule last fired, or null.' }),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change to the rule.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
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
      {
        name: 'Clicks are falling',
        metric: 'ctr',
        operator: 'lt',
        threshold: 0.01,
        windowMinutes: 60,
        minSamples: 500,
      },
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
  files: { leftOut: "they watch results and don't affect decisions" },
  removal: deleted,
  errors: { create: ['reference_not_found'], update: ['reference_not_found'] },
});

const AlertDelivery = Type.Object(
  {
    channel: Channel,
    ok: Nullable(Type.Boolean(), {
      description: 'Whether the destination accepted the message; null while it is being sent.',
    }),
    providerMessageId: Nullable(Type.String(), { description: 'ID of the message at the destination, or null.' }),
    error: Nullable(Type.String(), { description: 'The last delivery error, or null.' }),
  },
  { description: 'Delivery of the alert to one destination.' },
);
export type AlertDelivery = Static<typeof AlertDelivery>;

const AlertEvent = Type.Object(
  {
    id: Id('ID of the event.'),
    firedAt: Timestamp('When the rule fired.'),
    value: Type.Number({ description: 'Value over the window.' }),
    baseline: Nullable(Type.Number(), { description: 'Value over the window before, or null.' }),
    threshold: Type.Number({ description: 'Threshold at that time.' }),
    severity: StringEnum(notificationSeverities, { description: 'Severity of the alert.' }),
    deliveries: Type.Array(AlertDelivery, { description: 'One delivery per destination.' }),
  },
  { description: 'One firing of a rule.' },
);
export type AlertEvent = Static<typeof AlertEvent>;

const MetricFacts = Type.Object(
  {
    metric: StringEnum(alertMetrics, { description: 'The metric.' }),
    description: Type.String({ description: 'What the metric measures over the window.' }),
    unit: StringEnum(['share', 'count', 'ms', 'seconds', 'value'], { description: 'Unit of the value.' }),
    filters: Type.Array(StringEnum(alertFilterNames, { description: 'Filter.' }), {
      description: 'Filters the metric supports.',
    }),
    samples: Nullable(Type.String(), { description: 'What `minSamples` counts; null: `minSamples` is ignored.' }),
    needsTraces: Type.Boolean({ description: 'The metric has no values while decision traces are off.' }),
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
    summary: 'List metrics that alert rules can watch',
    responses: {
      200: {
        description: 'Available metrics.',
        schema: Type.Object(
          { data: Type.Array(MetricFacts, { description: 'One entry per metric.' }) },
          { description: 'Available metrics.' },
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
    summary: 'List firings, newest first',
    params: Type.Object({ id: IdText('ID of the rule.') }, { description: 'Rule to filter by.' }),
    query: Type.Object(cursorQuery(defaultPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page.', schema: cursorPage(AlertEvent) } },
    errors: ['not_found', 'invalid_cursor'],
  }),
} as const;

export const TickAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'True if there were no errors.' }),
    tenantsProcessed: Type.Integer({ description: 'Tenants checked.' }),
    rulesEvaluated: Type.Integer({ description: 'Alert rules evaluated by this call.' }),
    rulesFired: Type.Integer({ description: 'Alert rules that fired.' }),
    errors: Type.Array(
      Type.Object(
        { tenantId: Id('The tenant.'), error: Type.String({ description: 'What failed, without customer data.' }) },
        { description: 'A failure.' },
      ),
      { description: 'Failures. Everything else was still processed.' },
    ),
    durationMs: Type.Integer({ description: 'Duration of the call.' }),
    timestamp: Timestamp('When the call finished.'),
  },
  { description: 'Result of a tick.' },
);
export type TickAnswer = Static<typeof TickAnswer>;

/** The operation that an external scheduler calls every minute. */
export const tickOperations = {
  tick: operation({
    id: 'cron.tick',
    method: 'POST',
    path: '/api/cron/tick',
    tag: 'Maintenance',
    summary: 'Evaluate all alert rules and start due work',
    description:
      "Covers every tenant. Needs CRON_TOKEN, or CRON_SECRET if that is unset. The server's own scheduler " +
      'does the same; concurrent calls never evaluate a rule twice.',
    auth: secret(['CRON_TOKEN', 'CRON_SECRET'], ['x-cron-token', 'x-cron-secret']),
    role: null,
    errorFormat: 'cron',
    loadClass: 'heavy',
    errors: [],
    transaction: 'own',
    responses: { 200: { description: 'Result of the tick.', schema: TickAnswer } },
    audit: [],
  }),
} as const;
