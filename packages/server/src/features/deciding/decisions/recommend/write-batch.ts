import { compareText } from '@arbiter/engine';
import type { HotStatement, HotTransaction } from '../../../../db/index.ts';
import { insertScored } from '../../../catalogue/models/index.ts';
import { insertOutbox } from '../../../operations/stream/index.ts';
import { type BatchCustomers, encodeState, prune, type SavedState, saveStates } from '../../customer-states/index.ts';
import { insertShown } from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import { engineStamp, insertRecords } from '../../sealed-records/index.ts';
import type { BatchRead } from '../reads/read-batch.ts';
import { insertNamed } from '../requests.store.ts';
import { insertTraces } from '../traces/traces.store.ts';
import type { DecidePorts } from './decide-ports.ts';
import type { Writes } from './note-decision.ts';
import { experimentStatements } from './note-experiments.ts';

/** The contact log covers at least this long, because relevance looks 30 days back. */
const retainedLogMs = 35 * 86_400_000;

/**
 * Writes what was noted and `also`, and commits, in one round trip; in two when volumes were raised that it doesn't
 * hold. A batch without a stored decision writes nothing else.
 */
export async function writeBatch(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  writes: readonly Writes[],
  { nowOf, customers, quota, objectiveCounts, volumes }: BatchRead,
  also: readonly HotStatement[] = [],
): Promise<void> {
  if (writes.length === 0 && also.length === 0) return;
  const raised = quota?.statement() ?? null;
  const horizonMs = Math.max(catalogue.logHorizonMs(), retainedLogMs);
  const statements = [
    ...stateStatements(catalogue.tenantId, customers, nowOf, horizonMs),
    ...rowStatements(catalogue.tenantId, writes, objectiveCounts?.number ?? null),
    ...(catalogue.realtimeCounter?.(shownIds(writes)) ?? []),
    ...also,
  ];
  const startedAt = performance.now();
  const all = raised === null ? statements : [raised, ...statements];
  await (volumes === null ? tx.commit(all) : volumes.commit(tx, all));
  ports.batchStage('commit', (performance.now() - startedAt) / 1000);
}

/** Keys of the history rows of what was shown. */
const shownIds = (writes: readonly Writes[]): string[] => writes.flatMap(({ shown }) => shown.map(({ id }) => id));

/** Writes the customers back, and first: in the order in which rows are locked everywhere. */
function stateStatements(
  tenantId: string,
  customers: BatchCustomers,
  nowOf: BatchRead['nowOf'],
  horizonMs: number,
): HotStatement[] {
  const states: SavedState[] = [];
  for (const [customerId, customer] of customers) {
    if (!customer.changed || !customer.locked) continue;
    const now = nowOf(customer);
    prune(customer.state, now - horizonMs, now);
    states.push({
      customerId,
      customerSeq: customer.customerSeq,
      hadBase: customer.row.base !== null,
      stored: encodeState(customer.state),
    });
  }
  return saveStates(tenantId, states);
}

/** `counts`: number of the objective counts that were read. */
function rowStatements(tenantId: string, writes: readonly Writes[], counts: number | null): HotStatement[] {
  const list: HotStatement[] = [];
  for (const each of writes) {
    list.push(...recordStatements(each, counts));
    if (each.scored.length > 0) list.push(insertScored(tenantId, each.scored, each.at));
    list.push(...experimentStatements(tenantId, each.at, each.experiments));
    list.push(...insertShown(tenantId, each.at, each.shown));
    if (each.traces.length > 0) list.push(insertTraces(tenantId, each.traces, each.at));
  }
  // Processes that were sent the same ids for different customers meet at their rows: in one order they wait, and do not deadlock.
  const requests = writes.flatMap((each) => each.requests).sort((a, b) => compareText(a.requestId, b.requestId));
  list.push(...requests.map(({ statement }) => statement));
  for (const { named, at } of writes) if (named.length > 0) list.push(insertNamed(tenantId, named, at));
  for (const each of writes) {
    const { events, lanes } = each.events.packed();
    list.push(insertOutbox(tenantId, events, lanes, each.at));
  }
  return list;
}

function* recordStatements({ tenantId, at, configVersion, records }: Writes, counts: number | null) {
  const batch = { decidedAt: at, configVersion, engineVersion: engineStamp };
  for (const [{ plan, hash: planHash, readSet }, rows] of records) {
    const flow = { flowId: plan.flow.id, flowVersion: plan.flow.version, planHash, readSet: readSet.id };
    const countsNumber = plan.reads.objectiveCounts ? counts : null;
    yield insertRecords(tenantId, { ...batch, ...flow, countsNumber }, rows);
  }
}
