import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { daysFrom, daysQuery, daysSeconds, type EventSources, valuesQuery } from './compute-sql.store.ts';
import { definitionOf } from './definition.service.ts';
import { type MetricRow, metricSpec, noteComputed } from './metrics.store.ts';
import {
  type DayParameters,
  holdDays,
  holdValues,
  replaceDaysText,
  replaceText,
  runReplacement,
} from './values.store.ts';
import { windowOf } from './window.rules.ts';

/** Events of the features above, connected in `main`. */
export interface ComputePorts {
  readonly metricEvents: {
    /** SQL of the events, for parameters with the zone's days. */
    sources(from: string, seconds: string): EventSources;
    /** Values of those parameters. */
    dayParameters(zone: string): Promise<DayParameters>;
    /** How long before its time an event may be stored, in ms. */
    readonly aheadMs: number;
  };
}

const minuteMs = 60_000;

/** Throws 403 `feature_disabled` if metrics are off for the tenant (docs/design/api-access.md 6). */
export async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableBehavioralMetrics) return;
  throw new AppError('feature_disabled', {
    detail: 'Behavioral metrics are disabled. Enable them with the setting enableBehavioralMetrics.',
  });
}

/** Replaces the values of a metric by those of history, in one statement. Returns their number. */
async function computeValues(tx: Tx, { metricEvents }: ComputePorts, row: MetricRow): Promise<number> {
  await holdValues(tx);
  const { timezone } = await readSettings(tx);
  const metric = await definitionOf(row);
  const window = windowOf(row.windowDays, timezone, tx.now, metricEvents.aheadMs);
  const sources = metricEvents.sources(daysFrom, daysSeconds);
  const days = await metricEvents.dayParameters(timezone);
  if (row.computeMode === 'realtime') {
    await holdDays(tx);
    // Events ahead of their time count when their day comes.
    const query = daysQuery(metric, sources, window === null ? null : { ...window, ...openEnd });
    return runReplacement(tx, replaceDaysText(query), query, row.id, days);
  }
  const query = valuesQuery(metric, sources, window);
  return runReplacement(tx, replaceText(query), query, row.id, days);
}

const openEnd = { until: new Date('9999-12-31T00:00:00Z'), lastDay: '9999-12-31' };

/**
 * When a metric is computed again. A realtime metric that changed a moment ago is rebuilt once more: transactions that began
 * before the change don't count for it.
 */
function nextComputeAt(now: Date, { computeMode, batchIntervalMin, updatedAt }: MetricRow): Date | null {
  if (computeMode === 'batch') return new Date(now.getTime() + batchIntervalMin * minuteMs);
  return now.getTime() - updatedAt.getTime() < minuteMs ? new Date(now.getTime() + minuteMs) : null;
}

async function compute(tx: Tx, ports: ComputePorts, row: MetricRow): Promise<number> {
  const count = await computeValues(tx, ports, row);
  await noteComputed(tx, row.id, count, nextComputeAt(tx.now, row));
  return count;
}

/** Computes a metric now. Throws 404, 409 `invalid_transition` unless it is active, and 403 `feature_disabled`. */
export async function computeNow(tx: Tx, ports: ComputePorts, id: string) {
  await assertEnabled(tx);
  const row = await getRecord(tx, metricSpec, id);
  if (row.status !== 'active') {
    throw new AppError('invalid_transition', {
      detail: `A metric that is ${row.status} keeps its values. Activate it to compute it.`,
    });
  }
  const valueCount = await compute(tx, ports, row);
  await recordAudit(tx, {
    action: 'compute',
    entityType: 'behavioralMetric',
    entityId: row.id,
    entityName: row.name,
    entityVersion: row.version,
  });
  return { computed: true as const, valueCount };
}

/** Computes a metric that was due. Nothing if it was deleted or paused, or metrics are off. */
export async function computeDue(tx: Tx, ports: ComputePorts, row: MetricRow): Promise<void> {
  if (row.status === 'active' && (await readSettings(tx)).enableBehavioralMetrics) await compute(tx, ports, row);
}
