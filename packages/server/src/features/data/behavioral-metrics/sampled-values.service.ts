import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { assertEnabled } from './compute.service.ts';
import { readCustomerValues } from './customer-values.store.ts';
import { selectMetrics } from './metrics.store.ts';
import { readStatements } from './values.store.ts';
import { windowOf } from './window.rules.ts';

/**
 * The value of a metric for each of these customers, null when missing, as decisions compare it. Throws 400 at `path` for a
 * metric that doesn't exist or has dimensions, and 403 `feature_disabled`.
 */
export async function readSampledValues(
  tx: Tx,
  metricId: string,
  customerIds: readonly string[],
  path: string,
): Promise<(customerId: string) => number | null> {
  await assertEnabled(tx);
  const { id } = await requireLive(tx, 'behavioralMetric', metricId, path);
  const metric = (await selectMetrics(tx)).find((each) => each.id === id);
  if (metric === undefined) throw new Error(`behavioral metric ${id} is locked and not listed`);
  if (metric.groupByDimensions.length > 0) {
    throw invalid(path, 'must be the ID of a behavioral metric without groupByDimensions');
  }
  const { aggregateFunction, status, windowDays, key } = metric;
  const missing = aggregateFunction === 'count' || aggregateFunction === 'sum' ? 0 : null;
  if (status === 'archived') return () => missing;
  const bounds = windowOf(windowDays, (await readSettings(tx)).timezone, tx.now, 0);
  const { statements, parse } = readCustomerValues(tx.tenantId, customerIds, [metric], () => bounds);
  const values = parse(await readStatements(tx, statements));
  return (customerId) => {
    const value = values.get(customerId)?.[key];
    return typeof value === 'number' ? value : missing;
  };
}
