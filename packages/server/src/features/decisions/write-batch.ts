import { compareText } from '@arbiter/engine';
import type { HotStatement, HotTransaction } from '../../db/index.ts';
import { type BatchCustomers, encodeState, prune, type SavedState, saveStates } from '../customer-states/index.ts';
import { insertShown } from '../interactions/index.ts';
import { insertScored } from '../models/index.ts';
import type { TenantCatalogue } from '../plans/index.ts';
import { engineStamp, insertRecords } from '../sealed-records/index.ts';
import { insertOutbox } from '../stream/index.ts';
import type { DecidePorts } from './decide-ports.ts';
import type { Writes } from './note-decision.ts';
import type { BatchRead } from './read-batch.ts';

/** The log of contacts is kept at least this long: relevance looks 30 days back. */
const retainedLogMs = 35 * 86_400_000;

/** Writes what was noted and commits, in one round trip; in two when volumes were raised that it does not hold. A batch without a stored decision writes nothing. */
export async function writeBatch(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  writes: Writes,
  { now, customers, quota, objectiveCounts, volumes }: BatchRead,
): Promise<void> {
  if (writes.records.size === 0) return;
  const raised = quota?.statement() ?? null;
  const horizonFrom = now - Math.max(catalogue.logHorizonMs(), retainedLogMs);
  const statements = writeStatements(writes, customers, horizonFrom, now, objectiveCounts?.number ?? null);
  const startedAt = performance.now();
  const all = raised === null ? statements : [raised, ...statements];
  await (volumes === null ? tx.commit(all) : volumes.commit(tx, all));
  ports.batchStage('commit', (performance.now() - startedAt) / 1000);
}

/** The statements of the commit, in the order in which rows are locked everywhere. */
function writeStatements(
  writes: Writes,
  customers: BatchCustomers,
  horizonFrom: number,
  now: number,
  counts: number | null,
): HotStatement[] {
  const { tenantId } = writes;
  const states: SavedState[] = [];
  for (const [customerId, customer] of customers) {
    if (!customer.changed || !customer.locked) continue;
    prune(customer.state, horizonFrom, now);
    states.push({
      customerId,
      customerSeq: customer.customerSeq,
      hadBase: customer.row.base !== null,
      stored: encodeState(customer.state),
    });
  }
  const list: HotStatement[] = saveStates(tenantId, states);
  const { at: decidedAt, configVersion } = writes;
  const batch = { source: 'recommend', decidedAt, configVersion, engineVersion: engineStamp };
  for (const [{ plan, hash: planHash, readSet }, rows] of writes.records) {
    const flow = { flowId: plan.flow.id, flowVersion: plan.flow.version, planHash, readSet: readSet.id };
    const countsNumber = plan.reads.objectiveCounts ? counts : null;
    list.push(insertRecords(tenantId, { ...batch, ...flow, countsNumber }, rows));
  }
  const { events, lanes } = writes.events.packed();
  if (writes.scored.length > 0) list.push(insertScored(tenantId, writes.scored, writes.at));
  list.push(...insertShown(tenantId, writes.at, writes.shown));
  // Processes that were sent the same ids for different customers meet at their rows: in one order they wait, and do not deadlock.
  const requests = writes.requests.toSorted((a, b) => compareText(a.requestId, b.requestId));
  list.push(...writes.traces, ...requests.map(({ statement }) => statement));
  list.push(insertOutbox(tenantId, events, lanes, writes.at));
  return list;
}
