import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, IdFilter, Int, StringEnum } from './core/schemas.ts';

/** What reports and dashboards are made of (docs/design/api-access.md 11). */
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

/** Rows of a section that are kept at most; beyond, the section is `truncated`. */
export const mostSectionRows = 5000;

// No defaults: the handler knows which parameters a source has.
const paramsWith = (id: (description: string) => Type.TString) => ({
  days: Type.Optional(
    Int(
      1,
      365,
      "Number of days to cover, ending today, in the tenant's time zone. Defaults to 7; in a report, to the `days` of the first source that sets it.",
    ),
  ),
  limit: Type.Optional(Int(1, 500, 'Rows at most; 20 when left out.')),
  offerId: Type.Optional(id('Only this offer.')),
  channelId: Type.Optional(id('Only this channel.')),
  categoryId: Type.Optional(id('Only offers that are in this category now.')),
  segmentId: Type.Optional(id('Only customers who are in this segment; in sources of traces, who were in it then.')),
  decisionFlowKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only decisions of the flow with this key.' }),
  ),
  groupBy: Type.Optional(
    StringEnum(['offer', 'channel', 'category', 'segment'], {
      description:
        'offer_performance_grouped: channel (default), category, segment. score_distribution: offer (default), channel, category.',
    }),
  ),
  modelId: Type.Optional(id('The model; needed by model_metrics_trend.')),
  experimentId: Type.Optional(id('The experiment.')),
  baselineDays: Type.Optional(Int(1, 365, 'Days before, with which the last days are compared; 28 when left out.')),
});

/** Names of what sources can be asked with. */
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
  description: 'What the source is asked with; one that it does not know is refused. See GET /api/v1/reports/sources.',
});
export type ReportParams = Static<typeof ReportParams>;

const ReportColumn = Type.Object(
  {
    key: Type.String({ description: 'Name of the value in the rows.' }),
    label: Type.String({ description: 'What people call it.' }),
    type: StringEnum(reportColumnTypes, { description: 'What it is. Ratios are from 0 to 1.' }),
  },
  { description: 'A column.' },
);
export type ReportColumn = Static<typeof ReportColumn>;

const Cell = Type.Union(
  [Type.String({ description: 'Text, date or instant.' }), Type.Number({ description: 'Number.' }), Type.Null()],
  { description: 'A value.' },
);
const Row = Type.Unsafe<Readonly<Record<string, Static<typeof Cell>>>>(
  Type.Object({}, { additionalProperties: Cell, description: 'Values by the keys of the columns.' }),
);
export type ReportRow = Static<typeof Row>;

const ReportPeriod = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'First day.' }),
    to: Type.String({ format: 'date', description: 'Last day, included.' }),
  },
  { description: "Days of the tenant's time zone." },
);

const ReportFilter = Type.Object(
  {
    label: Type.String({ description: 'What is limited, for example `Offer`.' }),
    value: Type.String({ description: 'To what, by name.' }),
  },
  { description: 'A filter.' },
);

/** What figures cover, wherever they are answered. */
export const reportScope = {
  period: Type.Union([ReportPeriod, Type.Null()], {
    description: 'Days that the figures cover. Null: figures as of the moment of the answer.',
  }),
  filters: Type.Array(ReportFilter, { description: 'What the figures are limited to. Empty: everything.' }),
};

/** Columns and rows, wherever they are answered. */
export const reportTable = {
  columns: Type.Array(ReportColumn, { description: 'The columns, in their order.' }),
  rows: Type.Array(Row, { description: 'The rows; none without data.' }),
};

export const reportNotes = Type.Array(Type.String(), {
  description: 'What must be known to read the rows: traces that are off or sampled, what could not be counted.',
});

/** In a query a malformed id is answered like an unknown one. */
const queryParams = paramsWith(IdFilter);

const DashboardData = Type.Object(
  {
    type: StringEnum(reportSourceKeys, { description: 'The source.' }),
    params: Type.Object(queryParams, { description: 'What it was asked with.' }),
    ...reportScope,
    ...reportTable,
    notes: reportNotes,
  },
  { description: 'What a source says.' },
);

const SourceFacts = Type.Object(
  {
    sourceKey: StringEnum(reportSourceKeys, { description: 'The source.' }),
    label: Type.String({ description: 'What people call it.' }),
    description: Type.String({ description: 'What it says.' }),
    columns: reportTable.columns,
    params: Type.Array(
      Type.Object(
        {
          name: StringEnum(reportParamNames, { description: 'The parameter.' }),
          required: Type.Boolean({ description: 'It must be given.' }),
          values: Type.Optional(Type.Array(Type.String(), { description: 'Values that it can have.' })),
        },
        { description: 'A parameter.' },
      ),
      { description: 'What it can be asked with.' },
    ),
    needsTraces: Type.Boolean({ description: 'It is empty while decision traces are off.' }),
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

/** What reports and dashboards are made of (docs/design/api-access.md 11). */
export const reportSourceOperations = {
  sources: operation({
    ...common,
    id: 'reports.sources',
    path: '/api/v1/reports/sources',
    loadClass: 'crud',
    summary: 'List what reports and dashboards can show',
    responses: {
      200: {
        description: 'The sources.',
        schema: Type.Object(
          { data: Type.Array(SourceFacts, { description: 'One for each source.' }) },
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
    summary: 'Read one source',
    description:
      "Figures are at most a second behind. Days are those of the tenant's zone. A parameter that the source does not know " +
      'is 400. Without data there are no rows.',
    query: Type.Object(
      { type: StringEnum(reportSourceKeys, { description: 'The source.' }), ...queryParams },
      { description: 'Which source, and what it is asked with.' },
    ),
    responses: { 200: { description: 'Columns and rows.', schema: DashboardData } },
    errors: ['validation_failed'],
  }),
} as const;
