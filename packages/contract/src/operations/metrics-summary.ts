import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { StringEnum } from '../core/schemas.ts';

const MetricSummary = Type.Object(
  {
    name: Type.String({ description: 'Name of the metric.' }),
    help: Type.String({ description: 'What the metric counts.' }),
    type: StringEnum(['counter', 'histogram'], { description: 'Type of the metric.' }),
    values: Type.Array(
      Type.Object(
        {
          labels: Type.Unsafe<Record<string, string>>(
            Type.Object(
              {},
              {
                additionalProperties: Type.String({ description: 'Value of the label.' }),
                description:
                  'For a histogram: `le` for a bucket (calls up to that many seconds or items), `stat` = `sum` or `count` for the two totals.',
              },
            ),
          ),
          value: Type.Number({ description: 'Value since the processes of this server started.' }),
        },
        { description: 'One value.' },
      ),
      { description: 'All values of the tenant.' },
    ),
  },
  { description: 'One metric.' },
);

/** Metrics of one tenant (docs/design/api-access.md 19). */
export const MetricsSummary = Type.Unsafe<Record<string, Static<typeof MetricSummary>>>(
  Type.Object({}, { additionalProperties: MetricSummary, description: 'Metrics by name.' }),
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
    summary: 'Get counters and histograms of the tenant',
    description:
      'Covers all processes of this server; other nodes count separately. Metrics about the processes themselves are in `/api/v1/metrics` only.',
    responses: { 200: { description: 'Metrics of the tenant.', schema: MetricsSummary } },
    errors: [],
    audit: [],
    transaction: 'none',
  }),
} as const;
