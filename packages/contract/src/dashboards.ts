import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Int, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import { reportNotes } from './report-sources.ts';

const count = (description: string) => Type.Integer({ description });
const share = (description: string) =>
  Nullable(Type.Number(), { description: `${description}, 0 to 1; null without any.` });
const ms = (description: string) =>
  Nullable(Type.Number(), { description: `${description}, in milliseconds; null without any.` });

const span = {
  from: Timestamp('Beginning of the time that is looked at.'),
  to: Timestamp('Its end.'),
};
const latencies = {
  p50Ms: ms('Half of the decisions took so long at most'),
  p95Ms: ms('95 of 100 decisions took so long at most'),
  p99Ms: ms('99 of 100 decisions took so long at most'),
};

/** The five parts of a decision that a pipeline is shown in. */
export const pipelineStages = ['inventory', 'qualification', 'contact_policy', 'scoring', 'selection'] as const;

const DecisionPipeline = Type.Object(
  {
    windowHours: count('Hours that are looked at.'),
    ...span,
    decisions: count('Decisions, those that failed left out.'),
    failed: count('Calls that failed.'),
    ...latencies,
    stages: Type.Array(
      Type.Object(
        {
          stage: StringEnum(pipelineStages, { description: 'The part of the decision.' }),
          averageMs: ms('What it took on average'),
          averageCandidates: Nullable(Type.Number(), {
            description: 'Candidates that came to it on average; null without traces.',
          }),
          filterRate: share('Share of them that it dropped'),
        },
        { description: 'A part of the decision, from traces.' },
      ),
      { description: 'The five parts of a decision, in their order.' },
    ),
    tracesRead: count('Traces that the parts were worked out from.'),
    notes: reportNotes,
  },
  { description: 'How decisions went, part by part.' },
);
export type DecisionPipeline = Static<typeof DecisionPipeline>;

const DecisionHealth = Type.Object(
  {
    days: count('Days that are looked at.'),
    ...span,
    decisions: count('Decisions, those that failed left out.'),
    failed: count('Calls that failed.'),
    errorRate: share('Share of calls that failed'),
    empty: count('Decisions without an item.'),
    emptyRate: share('Share of decisions without an item'),
    degraded: count('Decisions that did without a model.'),
    degradedRate: share('Share of decisions that did without a model'),
    candidates: count('Candidates of all decisions.'),
    policyBlocked: count('Those that contact policies dropped.'),
    policyBlockRate: share('Share of candidates that contact policies dropped'),
    ...latencies,
    daily: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: 'date', description: "Day of the tenant's zone." }),
          decisions: count('Decisions of the day.'),
          failed: count('Calls that failed.'),
          empty: count('Decisions without an item.'),
          degraded: count('Decisions that did without a model.'),
        },
        { description: 'A day.' },
      ),
      { description: 'Day by day, days without decisions too.' },
    ),
  },
  { description: 'How decisions went over some days.' },
);
export type DecisionHealth = Static<typeof DecisionHealth>;

const common = {
  tag: 'Reports',
  auth: 'credential',
  method: 'GET',
  loadClass: 'heavy',
  role: 'viewer',
  transaction: 'tenant',
  audit: [],
} as const;

/** Dashboards of decisions (docs/design/api-access.md 11). */
export const dashboardOperations = {
  decisionPipeline: operation({
    ...common,
    id: 'dashboards.decisionPipeline',
    path: '/api/v1/dashboards/decision-pipeline',
    summary: 'Show how decisions went, part by part',
    description: 'Times of decisions are of all of them; the parts are read from traces, the newest first.',
    query: Type.Object(
      { windowHours: Type.Optional(Int(1, 168, 'Hours to look at.', { default: 24 })) },
      { description: 'How far back.' },
    ),
    responses: { 200: { description: 'The figures.', schema: DecisionPipeline } },
    errors: [],
  }),
  decisionHealth: operation({
    ...common,
    id: 'dashboards.decisionHealth',
    path: '/api/v1/dashboards/decision-health/summary',
    summary: 'Show how decisions went over some days',
    query: Type.Object(
      { days: Type.Optional(Int(1, 90, "Days of the tenant's zone, today included.", { default: 7 })) },
      { description: 'How far back.' },
    ),
    responses: { 200: { description: 'The figures.', schema: DecisionHealth } },
    errors: [],
  }),
} as const;
