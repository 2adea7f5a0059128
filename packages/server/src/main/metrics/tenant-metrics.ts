import type { MetricsSummary } from '@arbiter/contract';
import type { Registry } from 'prom-client';
import type { TenantMetric } from '../../features/deciding/decisions/index.ts';
import { type Metrics, metricsOf } from './node-metrics.ts';

/**
 * Metrics by tenant travel among those of the process, under names that no metric has, so that they are summed with them
 * when processes are put together.
 */
const prefix = 'by tenant ';

/** Returns a process's report: its registry, and its counts by tenant. */
export async function metricsOfProcess(registry: Registry, byTenant: readonly TenantMetric[]): Promise<Metrics> {
  const own = byTenant.map((metric) => ({ ...metric, name: prefix + metric.name, aggregator: 'sum' as const }));
  return [...(await metricsOf(registry)), ...own];
}

/**
 * Returns the metrics for `/metrics`. With `tenantLabel` (METRICS_TENANT_LABEL), counts by tenant replace the totals.
 */
export function shownMetrics(metrics: Metrics, tenantLabel: boolean): Metrics {
  if (!tenantLabel) return metrics.filter(({ name }) => !name.startsWith(prefix));
  const byTenant = new Set(metrics.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])));
  return metrics.flatMap((metric) => {
    if (byTenant.has(metric.name)) return [];
    return [metric.name.startsWith(prefix) ? { ...metric, name: metric.name.slice(prefix.length) } : metric];
  });
}

/** Returns one tenant's counts, without metrics that have no value. */
export function summaryOf(metrics: Metrics, tenantId: string): MetricsSummary {
  const summary: MetricsSummary = {};
  for (const metric of metrics) {
    if (!metric.name.startsWith(prefix)) continue;
    const values = metric.values.flatMap(({ labels: { tenant, ...labels }, value, metricName }) => {
      if (tenant !== tenantId) return [];
      const stat = /_(sum|count)$/.exec(metric.type === 'histogram' ? (metricName ?? '') : '')?.[1];
      const texts = Object.entries(labels).map(([name, text]) => [name, String(text)]);
      return [{ labels: { ...Object.fromEntries(texts), ...(stat === undefined ? {} : { stat }) }, value }];
    });
    if (values.length === 0) continue;
    const name = metric.name.slice(prefix.length);
    summary[name] = { name, help: metric.help, type: metric.type === 'histogram' ? 'histogram' : 'counter', values };
  }
  return summary;
}
