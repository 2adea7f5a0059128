import type { KeyObject } from 'node:crypto';
import type { HotRow, HotTransaction } from '../../../db/index.ts';
import { firstIdAt, newId } from '../../../platform/ids.ts';
import { contactsSince } from '../interactions/index.ts';
import type { CustomerKeys } from './customer-keys.ts';
import { type CustomerState, laneOf } from './customer-state.ts';
import { decodeState } from './customer-state-codec.ts';
import { lockMadeStates, makeStates, type StateRow, stateRow } from './states.store.ts';

/** A customer of a batch. */
export interface BatchCustomer {
  readonly row: StateRow;
  readonly state: CustomerState;
  /** Number of the latest that was committed, or noted in this batch. */
  customerSeq: number;
  /** False for customers that dry runs only read: their state is never written back. */
  readonly locked: boolean;
  /** The opened data key, once a decision of the batch needed it. */
  key: KeyObject | null;
  changed: boolean;
}

export type BatchCustomers = Map<string, BatchCustomer>;

/** A response may be reported up to a day ahead of its instant, so history may hold it under an earlier id. */
const lateEventMs = 86_400_000;

export function takeCustomers(customers: BatchCustomers, rows: readonly HotRow[], locked: boolean): void {
  for (const raw of rows) {
    const row = stateRow(raw);
    customers.set(row.customerId, {
      row,
      state: decodeState(row.state, row.base),
      customerSeq: row.customerSeq,
      locked,
      key: null,
      changed: false,
    });
  }
}

/**
 * Creates and locks rows for customers without one. Rows created by others in the meantime are locked too, unless
 * they're still held: creating a row waits for anyone creating the same one, so they're usually free by then. Returns
 * these: whatever was read of them before is older than their lock.
 */
export async function makeMissing(
  tx: HotTransaction,
  tenantId: string,
  customers: BatchCustomers,
  wanted: readonly string[],
  keys: CustomerKeys,
): Promise<readonly string[]> {
  const missing = wanted.filter((id) => !customers.has(id));
  if (missing.length === 0) return noCustomers;
  const fresh = missing.map((customerId) => ({ customerId, ref: newId(), dataKey: keys.create(tenantId) }));
  const [made] = await tx.send([makeStates(tenantId, fresh)]);
  takeCustomers(customers, made!, true);
  if (made!.length === missing.length) return noCustomers;
  const others = missing.filter((id) => !customers.has(id));
  const [free] = await tx.send([lockMadeStates(tenantId, others)]);
  takeCustomers(customers, free!, true);
  return others.filter((id) => customers.has(id));
}

const noCustomers: readonly string[] = [];

/** True when the log does not reach back to `from` (epoch ms). */
export const isLogShort = ({ state }: BatchCustomer, from: number): boolean => state.keptFrom > from;

/**
 * A new window may look further back than the log: history fills it, once, under the lock (docs/design/decisioning.md
 * 6). Newer log entries stay, because the latest may be from this batch and not in history yet.
 */
export async function fillLog(
  tx: HotTransaction,
  tenantId: string,
  customer: BatchCustomer,
  from: number,
): Promise<void> {
  const { state } = customer;
  const [rows] = await tx.send([
    contactsSince(tenantId, customer.row.customerId, new Date(from), firstIdAt(Math.max(0, from - lateEventMs))),
  ]);
  const older: CustomerState['log'] = [];
  for (const row of rows!) {
    const at = (row.occurred_at as Date).getTime();
    if (at >= state.keptFrom) break;
    const lane = laneOf(state, {
      offerId: row.offer_id as string,
      creativeId: row.creative_id as string | null,
      channelId: row.channel_id as string | null,
      campaignId: row.campaign_id as string | null,
    });
    older.push({ lane, at });
  }
  state.log = [...older, ...state.log];
  state.keptFrom = from;
  state.since = null;
  customer.changed = true;
}
