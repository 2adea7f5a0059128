import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { StringEnum } from './core/schemas.ts';

const MetricSummary = Type.Object(
  {
    name: Type.String({ description: 'Name of the metric.' }),
    help: Type.String({ description: 'What it counts.' }),
    type: StringEnum(['counter', 'histogram'], { description: 'How it is read.' }),
    values: Type.Array(
      Type.Object(
        {
          labels: Type.Unsafe<Record<string, string>>(
            Type.Object(
              {},
              {
                additionalProperties: Type.String({ description: 'Value of the label.' }),
                description:
                  'Of a histogram: `le` for a bucket (calls up to so many seconds or so many things), `stat` = `sum` or `count` for the two totals.',
              },
            ),
          ),
          value: Type.Number({ description: 'Since the processes of this server started.' }),
        },
        { description: 'One value.' },
      ),
      { description: 'Every value of the tenant.' },
    ),
  },
  { description: 'One metric.' },
);

/** Metrics of one tenant (part 1, 4.13; docs/design/api-access.md 19). */
export const MetricsSummary = Type.Unsafe<Record<string, Static<typeof MetricSummary>>>(
  Type.Object({}, { additionalProperties: MetricSummary, description: 'By name of the metric.' }),
);
export type MetricsSummary = Static<typeof MetricsSummary>;

export const metricsSummaryOperations = {
  get: operation({
    id: 'metricsSummary.get',
    method: 'GET',
    path: '/api/v1/metrics/summary',
    tag: 'Administration',
    auth: 'credential',
    role: 'admin',
    loadClass: 'crud',
    summary: 'Read counters and histograms of the tenant',
    description:
      'Of all processes of this server, whichever answers; other nodes count for themselves. What processes count of themselves is left out: `/api/v1/metrics` has it.',
    responses: { 200: { description: 'The metrics.', schema: MetricsSummary } },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
} as const;
