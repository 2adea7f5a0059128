import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdFilter, Int, StringEnum } from '../core/schemas.ts';

/** Data sources of reports and dashboards (docs/design/api-access.md 11). */
export const reportSourceKeys = [
  'summary',
  'offer_performance',
  'offer_performance_grouped',
  'acceptance_rate',
  'channel_effectiveness',
  'selection_frequency',
  'funnel',
  'decision_traces_summary',
  'why_not_ranked',
  'score_distribution',
  'daily_trend',
  'revenue_trend',
  'model_metrics_trend',
  'anomaly_candidates',
  'budget_burn',
  'experiment_results',
  'contact_policy_pressure',
  'system_health',
] as const;
export type ReportSourceKey = (typeof reportSourceKeys)[number];

export const reportColumnTypes = ['text', 'integer', 'decimal', 'money', 'ratio', 'date', 'instant'] as const;

/** Maximum rows stored of a section; beyond that, it's `truncated`. */
export const maxSectionRows = 5000;

// No defaults: the handler knows which parameters a source has.
const paramsWith = (id: (description: string) => Type.TString) => ({
  days: Type.Optional(
    Int(
      1,
      365,
      "Number of days to cover, ending today, in the tenant's time zone. Defaults to 7; in a report, to the `days` of the first source that sets it.",
    ),
  ),
  limit: Type.Optional(Int(1, 500, 'Maximum rows. Default 20.')),
  offerId: Type.Optional(id('Offer to filter by.')),
  channelId: Type.Optional(id('Channel to filter by.')),
  categoryId: Type.Optional(id('Category to filter by. Uses current categories of offers.')),
  segmentId: Type.Optional(
    id('Segment to filter by. Sources based on traces use the membership at the time of the decision.'),
  ),
  decisionFlowKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Key of the flow whose decisions are counted.' }),
  ),
  groupBy: Type.Optional(
    StringEnum(['offer', 'channel', 'category', 'segment'], {
      description:
        'offer_performance_grouped: channel (default), category, segment. score_distribution: offer (default), channel, category.',
    }),
  ),
  modelId: Type.Optional(id('Model to report on. Required by model_metrics_trend.')),
  experimentId: Type.Optional(id('Experiment to report on.')),
  baselineDays: Type.Optional(Int(1, 365, 'Days to compare the recent days with. Default 28.')),
});

/** Names of a source's parameters. */
export type ReportParamName = keyof ReturnType<typeof paramsWith>;
export const reportParamNames = [
  'days',
  'limit',
  'offerId',
  'channelId',
  'categoryId',
  'segmentId',
  'decisionFlowKey',
  'groupBy',
  'modelId',
  'experimentId',
  'baselineDays',
] as const satisfies readonly ReportParamName[];

export const ReportParams = Type.Object(paramsWith(Id), {
  additionalProperties: false,
  description:
    "Parameters for the source. A parameter the source doesn't support is rejected. See `GET /api/v1/reports/sources`.",
});
export type ReportParams = Static<typeof ReportParams>;

const ReportColumn = Type.Object(
  {
    key: Type.String({ description: 'Key of the value in the rows.' }),
    label: Type.String({ description: 'Display name.' }),
    type: StringEnum(reportColumnTypes, { description: 'Type of the value. Ratios are from 0 to 1.' }),
  },
  { description: 'A column.' },
);
export type ReportColumn = Static<typeof ReportColumn>;

const Cell = Type.Union(
  [Type.String({ description: 'String, date or instant.' }), Type.Number({ description: 'Number.' }), Type.Null()],
  { description: 'A value.' },
);
const Row = Type.Unsafe<Readonly<Record<string, Static<typeof Cell>>>>(
  Type.Object({}, { additionalProperties: Cell, description: 'Values by column key.' }),
);
export type ReportRow = Static<typeof Row>;

const ReportPeriod = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'First day.' }),
    to: Type.String({ format: 'date', description: 'Last day, inclusive.' }),
  },
  { description: "Days in the tenant's time zone." },
);

const ReportFilter = Type.Object(
  {
    label: Type.String({ description: 'What is filtered, such as `Offer`.' }),
    value: Type.String({ description: 'Name of what it is filtered to.' }),
  },
  { description: 'A filter.' },
);

/** The period that figures cover, wherever they're returned. */
export const reportScope = {
  period: Type.Union([ReportPeriod, Type.Null()], {
    description: 'Days that the figures cover. Null for figures as of the response.',
  }),
  filters: Type.Array(ReportFilter, { description: 'Filters applied. Empty if everything is included.' }),
};

/** Columns and rows, wherever they are answered. */
export const reportTable = {
  columns: Type.Array(ReportColumn, { description: 'Columns in order.' }),
  rows: Type.Array(Row, { description: 'Rows. Empty without data.' }),
};

export const reportNotes = Type.Array(Type.String(), {
  description: 'Notes for reading the rows, such as traces that are off or sampled, or data that could not be counted.',
});

/** In a query, a malformed id gets the same answer as an unknown one. */
const queryParams = paramsWith(IdFilter);

const DashboardData = Type.Object(
  {
    type: StringEnum(reportSourceKeys, { description: 'The source.' }),
    params: Type.Object(queryParams, { description: 'Parameters used.' }),
    ...reportScope,
    ...reportTable,
    notes: reportNotes,
  },
  { description: 'Data of a source.' },
);

const SourceFacts = Type.Object(
  {
    sourceKey: StringEnum(reportSourceKeys, { description: 'The source.' }),
    label: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'Description of the source.' }),
    columns: reportTable.columns,
    params: Type.Array(
      Type.Object(
        {
          name: StringEnum(reportParamNames, { description: 'Name of the parameter.' }),
          required: Type.Boolean({ description: 'Whether the parameter is required.' }),
          values: Type.Optional(Type.Array(Type.String(), { description: 'Allowed values.' })),
        },
        { description: 'A parameter.' },
      ),
      { description: 'Supported parameters.' },
    ),
    needsTraces: Type.Boolean({ description: 'The metric has no values while decision traces are off.' }),
  },
  { description: 'A source.' },
);
export type ReportSourceFacts = Static<typeof SourceFacts>;

const common = {
  tag: 'Reports',
  auth: 'credential',
  method: 'GET',
  loadClass: 'heavy',
  role: 'viewer',
  transaction: 'tenant',
  audit: [],
} as const;

/** Data sources of reports and dashboards (docs/design/api-access.md 11). */
export const reportSourceOperations = {
  sources: operation({
    ...common,
    id: 'reports.sources',
    path: '/api/v1/reports/sources',
    loadClass: 'crud',
    summary: 'List sources for reports and dashboards',
    responses: {
      200: {
        description: 'The sources.',
        schema: Type.Object(
          { data: Type.Array(SourceFacts, { description: 'One entry per source.' }) },
          { description: 'The sources.' },
        ),
      },
    },
    errors: [],
  }),
  data: operation({
    ...common,
    id: 'dashboardData.get',
    path: '/api/v1/dashboard-data',
    knowsItsQuery: true,
    summary: 'Get data from a source',
    description:
      "Figures are at most one second behind. Days are in the tenant's time zone. A parameter the source " +
      "doesn't support returns 400. Without data, there are no rows.",
    query: Type.Object(
      { type: StringEnum(reportSourceKeys, { description: 'The source.' }), ...queryParams },
      { description: 'Source and parameters.' },
    ),
    responses: { 200: { description: 'Columns and rows.', schema: DashboardData } },
    errors: ['validation_failed'],
  }),
} as const;
