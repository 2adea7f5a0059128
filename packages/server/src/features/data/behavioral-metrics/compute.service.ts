import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { findRecord, getRecord } from '../../catalogue/catalogue-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import {
  type CustomerRange,
  daysFrom,
  daysQuery,
  daysSeconds,
  type EventSources,
  valuesQuery,
} from './compute-sql.store.ts';
import { definitionOf } from './definition.service.ts';
import { definingFields } from './definition-changes.rules.ts';
import { lockUnchanged, type MetricRow, metricSpec, noteComputed, setNextCompute } from './metrics.store.ts';
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
    /** The customer up to whom there are about this many rows of history behind this one. Null: up to the last. */
    customerAfterRows(tx: Tx, after: string | null, rows: number): Promise<string | null>;
  };
}

/** Runs work in a transaction of its own. */
export type RunInTransaction = <Answer>(work: (tx: Tx) => Promise<Answer>) => Promise<Answer>;

const minuteMs = 60_000;

/** Rows of history that a step of a rebuild reads. Writes of events wait for a step, not for the rebuild. */
const rowsPerStep = 4_000;

/** Times that a computation begins again because the metric's definition changed in the meantime. */
const maxStarts = 3;

/** Throws 403 `feature_disabled` if metrics are off for the tenant (docs/design/api-access.md 6). */
export async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableBehavioralMetrics) return;
  throw new AppError('feature_disabled', {
    detail: 'Behavioral metrics are disabled. Enable them with the setting enableBehavioralMetrics.',
  });
}

/** The metric was deleted, paused or redefined during its computation, which is rolled back. */
class MetricChanged extends Error {}

async function assertUnchanged(tx: Tx, row: MetricRow): Promise<void> {
  const current = await lockUnchanged(tx, row.id);
  const isSame = definingFields.every((name) => JSON.stringify(current?.[name]) === JSON.stringify(row[name]));
  if (current?.status !== 'active' || !isSame) throw new MetricChanged();
}

const openEnd = { until: new Date('9999-12-31T00:00:00Z'), lastDay: '9999-12-31' };

/** Replaces the values of a batch metric by those of history, in one statement. Returns their number. */
async function computeBatch(tx: Tx, { metricEvents }: ComputePorts, row: MetricRow): Promise<number> {
  await holdValues(tx);
  const { timezone } = await readSettings(tx);
  const window = windowOf(row.windowDays, timezone, tx.now, metricEvents.aheadMs);
  const query = valuesQuery(await definitionOf(row), metricEvents.sources(daysFrom, daysSeconds), window);
  return runReplacement(tx, replaceText(query), query, row.id, await metricEvents.dayParameters(timezone));
}

/**
 * Replaces the days of a realtime metric for a range of customers. Events that are committed before are counted from history, and
 * those after are added, so a range is exact whatever the others are.
 */
async function rebuildRange(
  tx: Tx,
  { metricEvents }: ComputePorts,
  row: MetricRow,
  range: CustomerRange,
): Promise<number> {
  const { timezone } = await readSettings(tx);
  const window = windowOf(row.windowDays, timezone, tx.now, metricEvents.aheadMs);
  const sources = metricEvents.sources(daysFrom, daysSeconds);
  const days = await metricEvents.dayParameters(timezone);
  // Events ahead of their time count when their day comes.
  const query = daysQuery(await definitionOf(row), sources, window === null ? null : { ...window, ...openEnd }, range);
  const text = replaceDaysText(query);
  await holdValues(tx);
  await holdDays(tx);
  return runReplacement(tx, text, query, row.id, days);
}

/**
 * When a metric is computed again. A realtime metric that changed a moment ago is rebuilt again: transactions that began
 * before the change don't count for it.
 */
function nextComputeAt(now: Date, { computeMode, batchIntervalMin, updatedAt }: MetricRow): Date | null {
  if (computeMode === 'batch') return new Date(now.getTime() + batchIntervalMin * minuteMs);
  return now.getTime() - updatedAt.getTime() < minuteMs ? new Date(now.getTime() + minuteMs) : null;
}

interface Part {
  readonly count: number;
  /** Where the next part begins; null: this was the last. */
  readonly next: string | null;
}

/** Computes all of a batch metric, or the customers behind `after` of a realtime one. */
async function computePart(tx: Tx, ports: ComputePorts, row: MetricRow, after: string | null): Promise<Part> {
  if (row.computeMode === 'batch') return { count: await computeBatch(tx, ports, row), next: null };
  const next = await ports.metricEvents.customerAfterRows(tx, after, rowsPerStep);
  return { count: await rebuildRange(tx, ports, row, { after, until: next }), next };
}

/** Computes the metric of `start`, and ends with `finish` in the last transaction. Null: `start` returned none. */
async function compute(
  run: RunInTransaction,
  ports: ComputePorts,
  start: (tx: Tx) => Promise<MetricRow | null>,
  finish: (tx: Tx, row: MetricRow) => Promise<void>,
): Promise<number | null> {
  const row = await run(start);
  if (row === null) return null;
  let total = 0;
  let after: string | null = null;
  do {
    const from: string | null = after;
    const part: Part = await run(async (tx) => {
      const found = await computePart(tx, ports, row, from);
      await assertUnchanged(tx, row);
      if (found.next === null) {
        await noteComputed(tx, row.id, total + found.count, nextComputeAt(tx.now, row));
        await finish(tx, row);
      }
      return found;
    });
    total += part.count;
    after = part.next;
  } while (after !== null);
  return total;
}

async function computeUnchanged(...parameters: Parameters<typeof compute>): Promise<number | null> {
  for (let start = 1; ; start++) {
    try {
      return await compute(...parameters);
    } catch (error) {
      if (!(error instanceof MetricChanged)) throw error;
      if (start === maxStarts) throw new AppError('unavailable', { retryAfterSeconds: 1, cause: error });
    }
  }
}

/** Computes a metric now. Throws 404, 409 `invalid_transition` unless it is active, and 403 `feature_disabled`. */
export async function computeNow(run: RunInTransaction, ports: ComputePorts, id: string) {
  const start = async (tx: Tx): Promise<MetricRow> => {
    await assertEnabled(tx);
    const row = await getRecord(tx, metricSpec, id);
    if (row.status !== 'active') {
      throw new AppError('invalid_transition', {
        detail: `A metric that is ${row.status} keeps its values. Activate it to compute it.`,
      });
    }
    // If this takes longer than a request may, the scheduler computes it.
    await setNextCompute(tx, row.id, tx.now);
    return row;
  };
  const valueCount = await computeUnchanged(run, ports, start, (tx, row) =>
    recordAudit(tx, {
      action: 'compute',
      entityType: 'behavioralMetric',
      entityId: row.id,
      entityName: row.name,
      entityVersion: row.version,
    }),
  );
  return { computed: true as const, valueCount: valueCount ?? 0 };
}

/** Computes a metric that was due. Nothing if it was deleted or paused, or metrics are off. */
export async function computeDue(run: RunInTransaction, ports: ComputePorts, id: string): Promise<void> {
  const start = async (tx: Tx): Promise<MetricRow | null> => {
    const row = await findRecord(tx, metricSpec, id);
    return row?.status === 'active' && (await readSettings(tx)).enableBehavioralMetrics ? row : null;
  };
  await computeUnchanged(run, ports, start, async () => {
    await Promise.resolve();
  });
}
