import type { Tx } from '../../../db/tx.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { assertEnabled } from './compute.service.ts';
import { selectMetrics } from './metrics.store.ts';

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

/** A metric as a field of a condition on customers. */
export interface FieldMetric {
  readonly tenantId: string;
  readonly id: string;
  /** Has values by dimension, so a customer has no single value. */
  readonly isGrouped: boolean;
}

/** Metrics by key. */
export type FieldMetrics = ReadonlyMap<string, FieldMetric>;

/** The tenant's metrics as fields. */
export async function readFieldMetrics(tx: Tx): Promise<FieldMetrics> {
  const rows = await selectMetrics(tx);
  return new Map(
    rows.map(({ id, key, groupByDimensions }) => [
      key,
      { tenantId: tx.tenantId, id, isGrouped: groupByDimensions.length > 0 },
    ]),
  );
}

/** Keeps the metrics that a new condition names alive until the transaction ends. Throws 403 `feature_disabled`. */
export async function requireFieldMetrics(tx: Tx, ids: readonly string[], path: string): Promise<void> {
  if (ids.length === 0) return;
  await assertEnabled(tx);
  for (const id of ids.toSorted()) await requireLive(tx, 'behavioralMetric', id, path);
}
