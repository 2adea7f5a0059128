import type { Tx } from '../../../db/index.ts';
import { findDueReservations, lockOpenReservations, markExpired } from './reservations.store.ts';

/** The order of a customer's commits, which the customer-states feature keeps (docs/design/recording.md S5). */
export interface SettlementNumbers {
  /**
   * Locks the rows of those customers that nobody else holds, in id order. `numbers`: the latest number of each;
   * `unknown`: customers without a row, who no longer count.
   */
  lock(
    tx: Tx,
    customerIds: readonly string[],
  ): Promise<{ readonly numbers: ReadonlyMap<string, number>; readonly unknown: ReadonlySet<string> }>;
  /** The latest numbers of locked rows. */
  save(tx: Tx, numbers: ReadonlyMap<string, number>): Promise<void>;
}

/** Rows of one transaction, so that no decision waits long for its customer. */
const reservationsPerSlice = 500;

/**
 * Marks expired reservations; their counts depend only on their instant anyway (docs/design/api-decisioning.md 4). Each
 * is a settlement with its own number. Customers that someone holds are left for the next run. Returns true when there
 * may be more; call it again in another transaction. `oldestMs`: no reservation is older.
 */
export async function expireReservations(tx: Tx, numbers: SettlementNumbers, oldestMs: number): Promise<boolean> {
  const due = await findDueReservations(tx, oldestMs, reservationsPerSlice);
  if (due.length === 0) return false;
  // Customers first, like everyone who locks both.
  const locked = await numbers.lock(tx, [...new Set(due.map((row) => row.customerId))]);
  const free = due.filter(({ customerId }) => locked.numbers.has(customerId) || locked.unknown.has(customerId));
  const open =
    free.length === 0
      ? []
      : await lockOpenReservations(
          tx,
          free.map(({ id }) => id),
        );
  if (open.length === 0) return false;
  const latest = new Map<string, number>();
  const settled = open.map(({ id, customerId }) => {
    const before = latest.get(customerId) ?? locked.numbers.get(customerId);
    if (before === undefined) return { id, settledSeq: null };
    latest.set(customerId, before + 1);
    return { id, settledSeq: before + 1 };
  });
  await markExpired(tx, settled);
  if (latest.size > 0) await numbers.save(tx, latest);
  return due.length === reservationsPerSlice;
}
