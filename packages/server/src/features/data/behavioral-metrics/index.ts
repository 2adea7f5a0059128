import { behavioralMetricOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { ComputePorts } from './compute.service.ts';
import { metricJobs, retainValues } from './metrics.jobs.ts';
import { metricRoutes } from './metrics.routes.ts';
import type { MetricPorts } from './metrics.service.ts';
import { eraseValues, holdValues } from './values.store.ts';

export {
  type FieldMetric,
  type FieldMetrics,
  readFieldMetrics,
  requireComparedMetric,
  requireFieldMetrics,
} from './compared-metric.service.ts';
export type { ComputePorts } from './compute.service.ts';
export { readCustomerValues } from './customer-values.store.ts';
export { createMetric } from './metrics.service.ts';
export { type DecisionMetric, metricsCompared, selectMetrics } from './metrics.store.ts';

export { countInRealtime, type RealtimeCounter, readRealtimeCounter, rebuildRealtime } from './realtime.service.ts';
export { readSampledValues } from './sampled-values.service.ts';
export { metricValueSql } from './value-sql.store.ts';
export { windowOf } from './window.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = [
  'behavioral_metrics',
  'behavioral_metric_states',
  'behavioral_metric_values',
  'behavioral_metric_days',
];

export const behavioralMetricsFeature = feature({
  name: 'behavioral-metrics',
  tables,
  resets: {
    empties: ['behavioral_metric_days', 'behavioral_metric_values', 'behavioral_metric_states', 'behavioral_metrics'],
  },
  erases: [
    {
      tables: ['behavioral_metric_values', 'behavioral_metric_days'],
      scopes: ['everything'],
      settle: holdValues,
      erase: async (tx, { customerId }) => ({ metricValues: await eraseValues(tx, customerId) }),
    },
  ],
  retains: [{ dataClass: 'metrics', counted: 'metrics', remove: retainValues }],
  operations: (ports: MetricPorts & { readonly database: Database }) =>
    handlerEntries(behavioralMetricOperations, metricRoutes(ports)),
  jobs: (ports: ComputePorts & { readonly database: Database }) => metricJobs(ports),
});
