import { behavioralMetricResource, type MetricGrouping } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';

/** Types of JSON columns and of lists. */
type StoredMetric = {
  filterConditions: Readonly<Record<string, unknown>> | null;
  groupByDimensions: MetricGrouping[];
};

export type MetricRow = RecordRow<typeof behavioralMetricResource, StoredMetric>;

export const metricSpec = recordSpec<typeof behavioralMetricResource, StoredMetric>(behavioralMetricResource);

/** Number of the tenant's metrics, which cannot grow until the transaction ends. */
export async function countAndHold(tx: Tx): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.behavioral_metrics:' || $1, 0))`, [
    tx.tenantId,
  ]);
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.behavioral_metrics where tenant_id = $1',
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

/** Keys of all metrics. */
export async function selectKeys(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await select(tx, columns(metricSpec, ['key']), 'from arbiter.behavioral_metrics where tenant_id = $1', [
    tx.tenantId,
  ]);
  return new Set(rows.map(({ key }) => key));
}

const stateColumns = columns(table('behavioral_metric_states'), [
  'metricId',
  'nextComputeAt',
  'lastComputedAt',
  'lastError',
  'valueCount',
]);
export type MetricState = RowOf<typeof stateColumns>;

/** States by metric. A metric that was never computed may have none. */
export async function selectStates(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, MetricState>> {
  const rows = await select(
    tx,
    stateColumns,
    'from arbiter.behavioral_metric_states where tenant_id = $1 and metric_id = any($2::uuid[])',
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map((row) => [row.metricId, row]));
}

/** Sets when a metric is computed next. Null: not on its own. */
export async function setNextCompute(tx: Tx, id: string, at: Date | null): Promise<void> {
  await tx.query(
    `insert into arbiter.behavioral_metric_states (tenant_id, metric_id, next_compute_at) values ($1, $2, $3)
     on conflict (tenant_id, metric_id) do update set next_compute_at = excluded.next_compute_at`,
    [tx.tenantId, id, at],
  );
}

/** Makes the active realtime metrics due at this instant, unless they are due before. */
export async function dueRealtime(tx: Tx, at: Date): Promise<void> {
  await tx.query(
    `update arbiter.behavioral_metric_states s set next_compute_at = least(s.next_compute_at, $2)
       from arbiter.behavioral_metrics m
      where s.tenant_id = $1 and m.tenant_id = s.tenant_id and m.id = s.metric_id and m.status = 'active'
        and m.compute_mode = 'realtime'`,
    [tx.tenantId, at],
  );
}

/** Notes a computation that worked. */
export async function noteComputed(tx: Tx, id: string, valueCount: number, nextAt: Date | null): Promise<void> {
  await tx.query(
    `insert into arbiter.behavioral_metric_states (tenant_id, metric_id, next_compute_at, last_computed_at, value_count)
     values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, metric_id) do update set next_compute_at = excluded.next_compute_at,
       last_computed_at = excluded.last_computed_at, last_error = null, value_count = excluded.value_count`,
    [tx.tenantId, id, nextAt, tx.now, valueCount],
  );
}

/** Notes why a computation failed. Nothing if the metric was deleted. */
export async function noteFailed(tx: Tx, id: string, error: string): Promise<void> {
  await tx.query(
    'update arbiter.behavioral_metric_states set last_error = $3 where tenant_id = $1 and metric_id = $2',
    [tx.tenantId, id, error],
  );
}

/** Claims the active metrics that are due: each is due again after its interval, whatever becomes of this run. */
export async function claimDue(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update arbiter.behavioral_metric_states s
        set next_compute_at = to_timestamp($3::float8 + m.batch_interval_min * 60)
       from arbiter.behavioral_metrics m
      where s.tenant_id = $1 and m.tenant_id = s.tenant_id and m.id = s.metric_id and m.status = 'active'
        and s.next_compute_at <= $2
     returning s.metric_id as id`,
    // Citus can't add an interval of a column to an instant in an update.
    [tx.tenantId, tx.now, tx.now.getTime() / 1000],
  );
  return rows.map(({ id }) => id);
}

const definitionColumns = columns(metricSpec, [
  'status',
  'aggregateFunction',
  'sourceField',
  'windowDays',
  'groupByDimensions',
  'filterConditions',
  'sqlFilter',
  'computeMode',
]);

/**
 * Reads a metric's definition, which can't change until the transaction ends. Undefined if it was deleted, or is being changed:
 * that transaction may wait for this one.
 */
export async function lockUnchanged(tx: Tx, id: string): Promise<RowOf<typeof definitionColumns> | undefined> {
  const [row] = await select(
    tx,
    definitionColumns,
    'from arbiter.behavioral_metrics where tenant_id = $1 and id = $2 for share skip locked',
    [tx.tenantId, id],
  );
  return row;
}

const decisionColumns = columns(metricSpec, [
  'id',
  'key',
  'name',
  'status',
  'aggregateFunction',
  'groupByDimensions',
  'computeMode',
  'windowDays',
]);

/** A metric as decisions use it. */
export type DecisionMetric = RowOf<typeof decisionColumns>;

/** All metrics, in id order. Values of archived ones aren't read. */
export async function selectMetrics(tx: Tx): Promise<DecisionMetric[]> {
  return select(tx, decisionColumns, 'from arbiter.behavioral_metrics where tenant_id = $1 order by id', [tx.tenantId]);
}

const realtimeColumns = columns(metricSpec, [
  'id',
  'aggregateFunction',
  'sourceField',
  'windowDays',
  'groupByDimensions',
  'filterConditions',
  'sqlFilter',
]);

/** The active realtime metrics, in id order. */
export async function selectRealtime(tx: Tx): Promise<RowOf<typeof realtimeColumns>[]> {
  return select(
    tx,
    realtimeColumns,
    `from arbiter.behavioral_metrics where tenant_id = $1 and status = 'active' and compute_mode = 'realtime' order by id`,
    [tx.tenantId],
  );
}

/** The metrics that rules or policies of type `metric_condition` among these name. */
export function metricsCompared(
  metrics: readonly DecisionMetric[],
  comparing: readonly { readonly ruleType: string; readonly config: Readonly<Record<string, unknown>> }[],
): DecisionMetric[] {
  const named = new Set(
    comparing.flatMap(({ ruleType, config: { metricId } }) =>
      ruleType === 'metric_condition' && typeof metricId === 'string' ? [metricId.toLowerCase()] : [],
    ),
  );
  return metrics.filter(({ id }) => named.has(id));
}
