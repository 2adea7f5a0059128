import { createHash } from 'node:crypto';
import { type HotStatement, type Tx, uuidArray } from '../../../db/index.ts';
import type { ComputePorts } from './compute.service.ts';
import { additionQuery, daysFrom, daysSeconds } from './compute-sql.store.ts';
import { definitionOf } from './definition.service.ts';
import { dueRealtime, selectRealtime } from './metrics.store.ts';
import { runStatements, shareDays } from './values.store.ts';

/** Adds events to the tenant's realtime metrics, in the transaction that records them. Null: the tenant has none. */
export type RealtimeCounter = ((rowIds: readonly string[]) => readonly HotStatement[]) | null;

/** Prepares the statements of the tenant's active realtime metrics. `zone`: defines the days. */
export async function readRealtimeCounter(
  tx: Tx,
  metricEvents: ComputePorts['metricEvents'],
  zone: string,
): Promise<RealtimeCounter> {
  const rows = await selectRealtime(tx);
  if (rows.length === 0) return null;
  const { tenantId } = tx;
  const sources = metricEvents.sources(daysFrom, daysSeconds);
  const days = await metricEvents.dayParameters(zone);
  const additions = await Promise.all(
    rows.map(async (row) => {
      const { text, values } = additionQuery(await definitionOf(row), row.id, sources);
      const name = `behavioral-metrics.add.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      return { name, text, values };
    }),
  );
  return (rowIds) => {
    if (rowIds.length === 0) return [];
    const ids = uuidArray(rowIds);
    const added = additions.map(({ name, text, values }) => ({
      name,
      text,
      values: [tenantId, ...days, ids, ...values],
    }));
    // First: a rebuild counts all rows that were committed before it, and these are added after it.
    return [shareDays(tenantId), ...added];
  };
}

/** Transactions that began before a change of settings end within this, in ms. */
const settleMs = 60_000;

/**
 * Has realtime metrics rebuilt after something that their counters don't follow: another time zone, history written past them, or
 * metrics that were off.
 */
export const rebuildRealtime = (tx: Tx): Promise<void> => dueRealtime(tx, new Date(tx.now.getTime() + settleMs));

/** Runs the statements of a counter in an ordinary transaction. */
export const countInRealtime = (tx: Tx, counter: RealtimeCounter, rowIds: readonly string[]): Promise<void> =>
  runStatements(tx, counter?.(rowIds) ?? []);
