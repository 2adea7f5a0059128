import {
  type BehavioralMetric,
  type BehavioralMetricCreate,
  type MetricValue,
  maxBehavioralMetrics,
  topMetricValues,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import {
  type Addressed,
  createRecord,
  getRecord,
  hardDeleteRecord,
  inUse,
  inUseEntry,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { assertEnabled, type ComputePorts } from './compute.service.ts';
import { assertSqlFilter, storedCondition } from './definition.service.ts';
import { changesDefinition } from './definition-changes.rules.ts';
import { keyOf } from './keys.rules.ts';
import { countAndHold, type MetricRow, metricSpec, selectKeys, selectStates, setNextCompute } from './metrics.store.ts';
import { clearValues, countCurrent, selectTop } from './values.store.ts';
import { windowOf } from './window.rules.ts';

/**
 * Port for the features above: active rules and policies that read this metric, and segments. `single`: only those that need one
 * value per customer.
 */
export type FindMetricUses = (
  tx: Tx,
  metric: { readonly id: string; readonly key: string },
  kind: 'any' | 'single',
) => Promise<readonly { readonly noun: string; readonly name: string; readonly id: string }[]>;

export type MetricPorts = ComputePorts & { readonly findMetricUses: FindMetricUses };

/** Metrics as answers show them. */
export async function showMetrics(
  tx: Tx,
  ports: ComputePorts,
  rows: readonly MetricRow[],
): Promise<BehavioralMetric[]> {
  const ids = rows.map(({ id }) => id);
  const states = await selectStates(tx, ids);
  const shown: BehavioralMetric[] = [];
  for (const row of rows) {
    const state = states.get(row.id);
    const isRealtime = row.computeMode === 'realtime';
    shown.push({
      ...toWire(row),
      groupByDimensions: [...row.groupByDimensions],
      filterConditions: row.filterConditions === null ? null : { ...row.filterConditions },
      lastComputedAt: state?.lastComputedAt?.toISOString() ?? null,
      lastError: state?.lastError ?? null,
      nextComputeAt: row.status === 'active' ? (state?.nextComputeAt?.toISOString() ?? null) : null,
      _count: {
        values: isRealtime ? await countCurrent(tx, row.id, await boundsOf(tx, ports, row)) : (state?.valueCount ?? 0),
      },
    });
  }
  return shown;
}

async function boundsOf(tx: Tx, { metricEvents }: ComputePorts, row: Pick<MetricRow, 'windowDays'>) {
  return windowOf(row.windowDays, (await readSettings(tx)).timezone, tx.now, metricEvents.aheadMs);
}

/** Throws 400 for a realtime metric that can't be kept by adding. */
function assertMode(metric: Pick<MetricRow, 'computeMode' | 'aggregateFunction'>): void {
  const { computeMode, aggregateFunction } = metric;
  if (computeMode === 'realtime' && aggregateFunction !== 'count' && aggregateFunction !== 'sum') {
    throw invalid('/computeMode', `can be realtime for count and sum only, not for ${aggregateFunction}`);
  }
}

/**
 * Creates a metric. Throws 409 `limit_reached` for the 21st, 409 for a name or key that is taken, 400 for filters outside
 * their grammar, and 403 `feature_disabled`.
 */
export async function createMetric(tx: Tx, body: BehavioralMetricCreate): Promise<MetricRow> {
  await assertEnabled(tx);
  const { computeMode = 'batch', aggregateFunction, filterConditions, ...fields } = body;
  assertMode({ computeMode, aggregateFunction });
  await assertSqlFilter(fields.sqlFilter ?? null);
  const condition = storedCondition(filterConditions);
  if ((await countAndHold(tx)) >= maxBehavioralMetrics) {
    throw new AppError('limit_reached', {
      detail: `A tenant can have at most ${maxBehavioralMetrics} behavioral metrics.`,
    });
  }
  const row = await createRecord(tx, metricSpec, {
    ...fields,
    computeMode,
    aggregateFunction,
    filterConditions: condition === null ? null : { ...condition },
    key: body.key ?? keyOf(body.name, await selectKeys(tx)),
  });
  await setNextCompute(tx, row.id, row.status === 'active' ? tx.now : null);
  return row;
}

/**
 * Changes the supplied fields. Another definition deletes the values and is computed at once. Throws as `createMetric`, and 409
 * `in_use` for dimensions while a segment reads the metric.
 */
export async function changeMetric(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Partial<Omit<BehavioralMetricCreate, 'key'>>,
  findUses: FindMetricUses,
): Promise<MetricRow> {
  await assertEnabled(tx);
  const { filterConditions, ...fields } = changes;
  await assertSqlFilter(fields.sqlFilter ?? null);
  const condition = filterConditions === undefined ? undefined : storedCondition(filterConditions);
  let redefines = false;
  let resumes = false;
  const row = await updateRecord(tx, metricSpec, id, {
    rowVersion,
    async change(current) {
      if (current.groupByDimensions.length === 0 && (fields.groupByDimensions ?? []).length > 0) {
        await assertUngrouped(tx, current, findUses);
      }
      const change = {
        ...fields,
        ...(condition === undefined ? {} : { filterConditions: condition === null ? null : { ...condition } }),
      };
      assertMode({ ...current, ...change });
      redefines = changesDefinition(current, change);
      resumes = current.status !== 'active' && fields.status === 'active';
      return change;
    },
  });
  if (redefines) await clearValues(tx, row.id);
  if (redefines || resumes) await setNextCompute(tx, row.id, tx.now);
  return row;
}

async function assertUngrouped(tx: Tx, { id, key }: MetricRow, findUses: FindMetricUses): Promise<void> {
  const entries = (await findUses(tx, { id, key }, 'single')).map((use) => ({
    path: '/groupByDimensions',
    message: `must stay empty while ${use.noun} ${JSON.stringify(use.name)} (${use.id}) reads the metric`,
  }));
  if (entries.length > 0) throw inUse('behavioral metric', entries);
}

/** Deletes a metric with its values. Throws 409 `in_use` while something active reads it, and 403 `feature_disabled`. */
export async function deleteMetric(tx: Tx, id: string, addressed: Addressed, findUses: FindMetricUses): Promise<void> {
  await assertEnabled(tx);
  await hardDeleteRecord(tx, metricSpec, id, {
    addressed,
    async check(row) {
      const uses = await findUses(tx, { id: row.id, key: row.key }, 'any');
      const entries = uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id));
      if (entries.length > 0) throw inUse('behavioral metric', entries);
    },
  });
}

/** The highest values of a metric. Throws 404. */
export async function listValues(
  tx: Tx,
  ports: ComputePorts,
  id: string,
  customerId: string | null,
): Promise<{ data: MetricValue[]; total: number }> {
  const row = await getRecord(tx, metricSpec, id);
  const isRealtime = row.computeMode === 'realtime';
  const bounds = isRealtime ? await boundsOf(tx, ports, row) : null;
  const { rows, total } = await selectTop(tx, row.id, { customerId, bounds, limit: topMetricValues });
  const computedAt = isRealtime ? tx.now : ((await selectStates(tx, [row.id])).get(row.id)?.lastComputedAt ?? tx.now);
  return {
    data: rows.map(({ dimensions, ...value }) => ({
      ...value,
      metricId: row.id,
      ...(dimensions.length === 0
        ? {}
        : { dimensions: Object.fromEntries(row.groupByDimensions.map((name, at) => [name, dimensions[at] ?? null])) }),
      computedAt: computedAt.toISOString(),
    })),
    total,
  };
}
