import type { Tx } from '../../../db/tx.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { assertEnabled } from './compute.service.ts';

/**
 * Checks what a rule or policy of type `metric_condition` compares. Throws 400 `reference_not_found` if the metric doesn't exist,
 * and 403 `feature_disabled`. Other types pass.
 */
export async function requireComparedMetric(
  tx: Tx,
  ruleType: string,
  { metricId }: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (ruleType !== 'metric_condition' || typeof metricId !== 'string') return;
  await assertEnabled(tx);
  await requireLive(tx, 'behavioralMetric', metricId, '/config/metricId');
}
