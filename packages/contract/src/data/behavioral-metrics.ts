import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import {
  CustomerId,
  Id,
  IdText,
  Int,
  JsonObject,
  Name,
  Nullable,
  StringEnum,
  sentAsItIs,
  Timestamp,
} from '../core/schemas.ts';

// Behavioral metrics (docs/design/api-catalogue.md 13).

/** Maximum metrics of a tenant, whatever their status. */
export const maxBehavioralMetrics = 20;

/** Values that the values list shows. */
export const topMetricValues = 20;

export const metricFunctions = ['count', 'sum', 'avg', 'min', 'max', 'ratio'] as const;
export type MetricFunction = (typeof metricFunctions)[number];

export const metricFields = ['impressions', 'positive', 'negative', 'neutral', 'converts', 'totalValue'] as const;
export type MetricField = (typeof metricFields)[number];

export const metricGroupings = ['offerId', 'channelId', 'creativeId', 'outcomeType'] as const;
export type MetricGrouping = (typeof metricGroupings)[number];

export const metricStatuses = ['active', 'paused', 'archived'] as const;
export type MetricStatus = (typeof metricStatuses)[number];

const metricModes = ['batch', 'realtime'] as const;

const words = {
  name: Name('Name. Unique among metrics.', 100),
  description: Type.String({ maxLength: 500, description: 'What the metric measures.' }),
  aggregateFunction: StringEnum(metricFunctions, {
    description:
      'How events of a customer become a value. `count`: events whose `sourceField` is not 0. `sum`: their sum. ' +
      '`avg`, `min`, `max`: of the conversion values for `totalValue`, else of the sums of days with events. ' +
      '`ratio`: sum of `sourceField` divided by the sum of impressions.',
  }),
  sourceField: StringEnum(metricFields, { description: 'What to aggregate of each event.' }),
  windowDays: Nullable(Int(1, 365, 'Days.'), {
    description:
      "Calendar days to look back in the tenant's time zone, today included. 1 to 365. Null (default): all time.",
  }),
  groupByDimensions: Type.Array(StringEnum(metricGroupings, { description: 'Dimension.' }), {
    maxItems: 2,
    uniqueItems: true,
    description: 'Dimensions to group by. Each customer gets one value per combination. At most 2. Default: none.',
  }),
  sqlFilter: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'SQL.',
      examples: ["channel_id IS NOT NULL AND outcome_type IN ('click', 'convert')"],
    }),
    {
      description:
        'Only events that match this SQL condition count. Compares columns with constants: `=`, `<>`, `<`, `<=`, `>`, ' +
        '`>=`, `IN`, `BETWEEN`, `LIKE`, `IS NULL`, joined by `AND`, `OR`, `NOT`. No functions, casts, arithmetic, ' +
        'sub-queries or comments. At most 500 characters and 10 levels. Null (default): all events.',
    },
  ),
  computeMode: StringEnum(metricModes, {
    description:
      '`batch` (default): values are recomputed every `batchIntervalMin`. `realtime`: values change with every event; ' +
      'for `count` and `sum` only.',
  }),
  batchIntervalMin: Int(5, 1440, 'Minutes between computations of a batch metric. 5 to 1,440; default 60.'),
  status: StringEnum(metricStatuses, {
    description:
      '`paused`: values stay and nothing is computed. `archived`: decisions no longer read the values either. Default active.',
  }),
};

const filterWords =
  'Only events that match count: `{ field, operator, value }` or groups `{ logic, conditions }` of them. Fields: ' +
  '`offerId`, `creativeId`, `channelId`, `categoryId`, `subCategoryId`, `campaignId`, `outcomeType`, `direction`, ' +
  "`value`, `occurredAt`, and `dayOfWeek` (0 is Sunday) and `hour` in the tenant's time zone. Default: all events.";

/** A number per customer, computed from their interaction history. */
export const BehavioralMetric = Type.Object(
  {
    id: Id('ID of the metric.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: "Read in formulas as `customer.metrics.<key>`. Can't be changed." }),
    ...words,
    filterConditions: Nullable(JsonObject(filterWords), { description: 'The condition as stored, or null.' }),
    lastComputedAt: Nullable(Timestamp('Instant.'), { description: 'When values were last computed, or null.' }),
    lastError: Nullable(Type.String(), { description: 'Why the last computation failed, or null.' }),
    nextComputeAt: Nullable(Timestamp('Instant.'), {
      description: 'When values are computed next. Null unless the metric is active and computed on a schedule.',
    }),
    _count: Type.Object(
      { values: Type.Integer({ description: 'Stored values.' }) },
      { description: 'Counts of the metric.' },
    ),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A behavioral metric.' },
);
export type BehavioralMetric = Static<typeof BehavioralMetric>;

const writable = {
  ...words,
  filterConditions: Type.Unknown({
    description: filterWords,
    examples: [{ field: 'channelId', operator: 'exists' }],
  }),
};

const changes = Type.Partial(Type.Object(writable)).properties;

const Key = (description: string) => Type.String({ pattern: '^[a-z0-9][a-z0-9_]{0,99}$', description });

export const BehavioralMetricCreate = Type.Object(
  {
    ...changes,
    key: Type.Optional(
      Key('Read in formulas as `customer.metrics.<key>`. Unique. Default: the name in lower case with underscores.'),
    ),
    name: writable.name,
    aggregateFunction: writable.aggregateFunction,
    sourceField: writable.sourceField,
  },
  {
    description: 'A new metric. Defaults: all time, no grouping, no filters, computed every 60 minutes.',
    examples: [{ name: 'Contacts 30d', aggregateFunction: 'count', sourceField: 'impressions', windowDays: 30 }],
  },
);
export type BehavioralMetricCreate = Static<typeof BehavioralMetricCreate>;

const metricDraft: Draft<BehavioralMetricCreate> = ({ name, marker }) => ({
  name: name('Metric'),
  description: `Metric of ${marker}`,
  aggregateFunction: 'count',
  sourceField: 'positive',
  windowDays: 30,
  groupByDimensions: ['offerId'],
  filterConditions: { logic: 'and', conditions: [{ field: 'direction', operator: 'eq', value: 'inbound' }] },
  sqlFilter: "outcome_type <> 'deferred'",
  computeMode: 'batch',
  batchIntervalMin: 30,
  status: 'active',
});

/** Metrics, described once. */
export const behavioralMetricResource = resource({
  entityType: 'behavioralMetric',
  name: 'behavioralMetrics',
  path: 'behavioral-metrics',
  tag: 'Behavioral metrics',
  noun: 'behavioral metric',
  nouns: 'behavioral metrics',
  writeRole: 'editor',
  softDelete: false,
  record: BehavioralMetric,
  create: BehavioralMetricCreate,
  draft: metricDraft,
  changes,
  fixed: { key: Key(sentAsItIs) },
  page: { usual: 20, maximum: 200 },
  order: newestFirst,
  search: ['name', 'key'],
  filters: { status: Type.Optional(words.status) },
  queries: {},
  unique: { name: 'duplicate_name', key: 'duplicate_key' },
  references: {},
  removal: deleted,
  errors: {
    create: ['limit_reached', 'feature_disabled'],
    update: ['in_use', 'feature_disabled'],
    delete: ['in_use', 'feature_disabled'],
  },
});

const MetricValue = Type.Object(
  {
    id: Id('ID of the value.'),
    metricId: Id('Metric.'),
    customerId: CustomerId(),
    value: Type.Number({ description: 'The value.' }),
    dimensions: Type.Optional(
      Type.Partial(
        Type.Object({
          offerId: Nullable(Id('Offer.'), { description: 'Offer, or null.' }),
          channelId: Nullable(Id('Channel.'), { description: 'Channel, or null.' }),
          creativeId: Nullable(Id('Creative.'), { description: 'Creative, or null.' }),
          outcomeType: Nullable(Type.String(), { description: 'Key of the outcome type, or null.' }),
        }),
        { description: 'What the value is about. Grouped metrics only.' },
      ),
    ),
    computedAt: Timestamp('When it was computed. For realtime metrics, now.'),
  },
  { description: 'A value of a customer.' },
);
export type MetricValue = Static<typeof MetricValue>;

const common = {
  tag: 'Behavioral metrics',
  auth: 'credential',
  transaction: 'tenant',
  loadClass: 'heavy',
} as const;
const oneMetric = Type.Object({ id: IdText('ID of the metric.') }, { description: 'The metric.' });

/** Behavioral metrics. */
export const behavioralMetricOperations = {
  ...recordOperations(behavioralMetricResource),
  compute: operation({
    ...common,
    transaction: 'own',
    id: 'behavioralMetrics.compute',
    method: 'POST',
    path: '/api/v1/behavioral-metrics/{id}/compute',
    summary: 'Compute the values of a metric',
    description:
      'Replaces the values of all customers in one transaction. Realtime metrics are rebuilt from history, in steps, so that ' +
      'events can still be recorded. When it takes longer than a request may, it fails with 503 and continues in the background.',
    role: 'editor',
    params: oneMetric,
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'tenant' }],
    responses: {
      200: {
        description: 'Computed.',
        schema: Type.Object(
          {
            computed: Type.Literal(true, { description: 'Always true.' }),
            valueCount: Type.Integer({ description: 'Number of values.' }),
          },
          { description: 'What was computed.' },
        ),
      },
    },
    errors: ['not_found', 'invalid_transition', 'feature_disabled'],
    audit: [{ action: 'compute', entityType: 'behavioralMetric' }],
  }),
  values: operation({
    ...common,
    id: 'behavioralMetrics.values',
    method: 'GET',
    path: '/api/v1/behavioral-metrics/{id}/values',
    summary: 'List the highest values of a metric',
    description: `At most ${topMetricValues} values, highest first, then by customer.`,
    role: 'viewer',
    params: oneMetric,
    query: Type.Object(
      { customerId: Type.Optional(CustomerId('Only values of this customer.')) },
      { description: 'Which values to return.' },
    ),
    responses: {
      200: {
        description: 'The highest values.',
        schema: Type.Object(
          {
            data: Type.Array(MetricValue, { description: 'Values, highest first.' }),
            total: Type.Integer({ description: 'Number of values, also beyond these.' }),
          },
          { description: 'Values of a metric.' },
        ),
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
};
