import type { Tx } from '../../../db/index.ts';
import { findDueReservations, lockOpenReservations, markExpired } from './reservations.store.ts';

/** The order of what is committed for a customer, which the feature above keeps (docs/design/recording.md S5). */
export interface SettlementNumbers {
  /**
   * Holds the rows of those customers that nobody else holds, in id order. `numbers`: the latest number of each;
   * `unknown`: customers without a row, who are counted no more.
   */
  lock(
    tx: Tx,
    customerIds: readonly string[],
  ): Promise<{ readonly numbers: ReadonlyMap<string, number>; readonly unknown: ReadonlySet<string> }>;
  /** The latest numbers of rows that are held. */
  save(tx: Tx, numbers: ReadonlyMap<string, number>): Promise<void>;
}

/** Rows of one transaction, so that no decision waits long for its customer. */
const reservationsPerSlice = 500;

/**
 * Marks reservations that ran out; what they count is judged by their instant anyway (docs/design/api-decisioning.md 4). Each is
 * a settlement with a number of its own. Customers that somebody holds are left for the next run. Returns true when there may
 * be more; call it again in another transaction. `oldestMs`: no reservation is older.
 */
export async function expireReservations(tx: Tx, numbers: SettlementNumbers, oldestMs: number): Promise<boolean> {
  const due = await findDueReservations(tx, oldestMs, reservationsPerSlice);
  if (due.length === 0) return false;
  // Customers first, as everybody does who takes both.
  const held = await numbers.lock(tx, [...new Set(due.map((row) => row.customerId))]);
  const free = due.filter(({ customerId }) => held.numbers.has(customerId) || held.unknown.has(customerId));
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
    const before = latest.get(customerId) ?? held.numbers.get(customerId);
    if (before === undefined) return { id, settledSeq: null };
    latest.set(customerId, before + 1);
    return { id, settledSeq: before + 1 };
  });
  await markExpired(tx, settled);
  if (latest.size > 0) await numbers.save(tx, latest);
  return due.length === reservationsPerSlice;
}
