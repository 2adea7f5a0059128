import type { Tx } from '../../../db/tx.ts';
import { newEvent, type StreamEvent } from '../../../jobs/index.ts';
import { findRecord, getRecord } from '../catalogue-records/index.ts';
import { countInTime, countMembers } from './counts.store.ts';
import { loadDefinition } from './definitions.ts';
import { type Definition, viewQuery } from './membership-sql.store.ts';
import { segmentChanged } from './segments.events.ts';
import { createView, type SegmentRow, segmentSpec, storeCount, storeKeyField } from './segments.store.ts';
import { dropSnapshot, hasSnapshot, lockSnapshot, takeEntered, takeLeft, takeSnapshot } from './snapshots.store.ts';

/** What refreshing needs from dependent features. */
export interface RefreshPorts {
  /** Ids, among these, of segments that an active trigger or journey watches. */
  readonly watchedSegments: (tx: Tx, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Puts events into the tenant's stream, in this transaction. */
  readonly publishEvents: (tx: Tx, events: readonly StreamEvent[]) => Promise<void>;
}

/**
 * Counts a segment now. Both are null when it takes longer than a request may; then the caller enqueues a job. Throws
 * 404.
 */
export async function refreshNow(
  tx: Tx,
  id: string,
): Promise<{ readonly customerCount: number | null; readonly lastRefreshedAt: string | null }> {
  const row = await getRecord(tx, segmentSpec, id);
  const definition = await loadDefinition(tx, row);
  await followRowKey(tx, row, definition);
  const customerCount = await countInTime(tx, definition);
  await storeCount(tx, row.id, customerCount);
  return { customerCount, lastRefreshedAt: customerCount === null ? null : tx.now.toISOString() };
}

/** Counts a segment, however long it takes. Does nothing for a deleted one. */
export async function recount(tx: Tx, id: string): Promise<void> {
  const row = await findRecord(tx, segmentSpec, id);
  if (row === null) return;
  const definition = await loadDefinition(tx, row);
  await followRowKey(tx, row, definition);
  await storeCount(tx, row.id, await countMembers(tx, definition));
}

/**
 * A field `customer_id` that was added to the base schema names its customers from then on. Lists, counts and decisions
 * see that at once; the view follows here.
 */
async function followRowKey(tx: Tx, row: SegmentRow, definition: Definition): Promise<void> {
  if (row.keyField === definition.base.rowKey) return;
  // The row first, like everyone who changes a view.
  await storeKeyField(tx, row.id, definition.base.rowKey);
  await createView(tx, row.viewName, viewQuery(definition));
}

/** Members that are compared in one transaction; each is an event. */
const membersPerSlice = 5_000;
/** Events in one row of the stream. */
const eventsPerRow = 500;

/**
 * Compares a watched segment's members with the last time and publishes who entered and who left. Returns true when
 * there may be more. The first time only stores them (docs/design/api-catalogue.md 11). Deletes the list once nobody
 * watches, so that a later watcher starts fresh.
 */
export async function compareMembers(tx: Tx, ports: RefreshPorts, id: string): Promise<boolean> {
  await lockSnapshot(tx, id);
  const row = await findRecord(tx, segmentSpec, id);
  if (row === null) return false;
  if (!(await ports.watchedSegments(tx, [row.id])).has(row.id)) {
    await dropSnapshot(tx, row.id);
    return false;
  }
  const definition = await loadDefinition(tx, row);
  if (!(await hasSnapshot(tx, row.id))) {
    await takeSnapshot(tx, row.id, definition);
    return false;
  }
  const left = await takeLeft(tx, row.id, definition, membersPerSlice);
  const entered = await takeEntered(tx, row.id, definition, membersPerSlice);
  const events = [
    ...left.map((customerId) => newEvent(tx, segmentChanged, { segmentId: row.id, customerId, event: 'left' })),
    ...entered.map((customerId) => newEvent(tx, segmentChanged, { segmentId: row.id, customerId, event: 'entered' })),
  ];
  for (let at = 0; at < events.length; at += eventsPerRow) {
    await ports.publishEvents(tx, events.slice(at, at + eventsPerRow));
  }
  return left.length === membersPerSlice || entered.length === membersPerSlice;
}
