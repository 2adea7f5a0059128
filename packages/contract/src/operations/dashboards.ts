import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { reportNotes } from './report-sources.ts';

const count = (description: string) => Type.Integer({ description });
const share = (description: string) =>
  Nullable(Type.Number(), { description: `${description}, 0 to 1; null without data.` });
const ms = (description: string) =>
  Nullable(Type.Number(), { description: `${description}, in milliseconds; null without data.` });

const span = {
  from: Timestamp('Start of the period.'),
  to: Timestamp('End of the period.'),
};
const latencies = {
  p50Ms: ms('Median decision time'),
  p95Ms: ms('95th percentile of the decision time'),
  p99Ms: ms('99th percentile of the decision time'),
};

/** The five parts of a decision that a pipeline is shown in. */
export const pipelineStages = ['inventory', 'qualification', 'contact_policy', 'scoring', 'selection'] as const;

const DecisionPipeline = Type.Object(
  {
    windowHours: count('Number of hours covered.'),
    ...span,
    decisions: count('Decisions, without failed calls.'),
    failed: count('Calls that failed.'),
    ...latencies,
    stages: Type.Array(
      Type.Object(
        {
          stage: StringEnum(pipelineStages, { description: 'Part of the decision.' }),
          averageMs: ms('Average duration'),
          averageCandidates: Nullable(Type.Number(), {
            description: 'Average number of candidates entering it; null without traces.',
          }),
          filterRate: share('Share of candidates it dropped'),
        },
        { description: 'A part of the decision, from traces.' },
      ),
      { description: 'The five parts of a decision, in order.' },
    ),
    tracesRead: count('Traces the parts were calculated from.'),
    notes: reportNotes,
  },
  { description: 'Decision performance, part by part.' },
);
export type DecisionPipeline = Static<typeof DecisionPipeline>;

const DecisionHealth = Type.Object(
  {
    days: count('Number of days covered.'),
    ...span,
    decisions: count('Decisions, without failed calls.'),
    failed: count('Calls that failed.'),
    errorRate: share('Share of failed calls'),
    empty: count('Decisions without items.'),
    emptyRate: share('Share of decisions without items'),
    degraded: count('Decisions made without a model as a fallback.'),
    degradedRate: share('Share of decisions made without a model as a fallback'),
    candidates: count('Candidates in all decisions.'),
    policyBlocked: count('Candidates dropped by contact policies.'),
    policyBlockRate: share('Share of candidates dropped by contact policies'),
    ...latencies,
    daily: Type.Array(
      Type.Object(
        {
          day: Type.String({ format: 'date', description: "Day in the tenant's time zone." }),
          decisions: count('Decisions on that day.'),
          failed: count('Calls that failed.'),
          empty: count('Decisions without items.'),
          degraded: count('Decisions made without a model as a fallback.'),
        },
        { description: 'A day.' },
      ),
      { description: 'One entry per day, including days without decisions.' },
    ),
  },
  { description: 'Decision figures over several days.' },
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
    summary: 'Show decision performance, part by part',
    description: 'Decision times cover all decisions. The parts are calculated from traces, newest first.',
    query: Type.Object(
      { windowHours: Type.Optional(Int(1, 168, 'Number of hours to cover.', { default: 24 })) },
      { description: 'How far to look back.' },
    ),
    responses: { 200: { description: 'The figures.', schema: DecisionPipeline } },
    errors: [],
  }),
  decisionHealth: operation({
    ...common,
    id: 'dashboards.decisionHealth',
    path: '/api/v1/dashboards/decision-health/summary',
    summary: 'Show decision figures over several days',
    query: Type.Object(
      { days: Type.Optional(Int(1, 90, "Number of days in the tenant's time zone, including today.", { default: 7 })) },
      { description: 'How far to look back.' },
    ),
    responses: { 200: { description: 'The figures.', schema: DecisionHealth } },
    errors: [],
  }),
} as const;
