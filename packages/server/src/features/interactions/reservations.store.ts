import { type Tx, uuidArray } from '../../db/index.ts';
import type { InteractionsRow } from '../../db/rows.ts';
import { firstIdAt } from '../../platform/ids.ts';

type SettledBy = NonNullable<InteractionsRow['reservationSettledBy']>;

/**
 * Gives a reservation its state. What settled it first, and when, is kept: a late impression of an item that was released
 * counts, and the reservation ended with the release all the same.
 */
export async function settleReservation(
  tx: Tx,
  id: string,
  state: 'confirmed' | 'released' | 'expired',
  by: SettledBy,
): Promise<void> {
  await tx.query(
    `update interactions set reservation_state = $3, reservation_settled_at = coalesce(reservation_settled_at, $4),
       reservation_settled_by = coalesce(reservation_settled_by, $5)
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, id, state, tx.now, by],
  );
}

/** Rows of one transaction, so that no decision waits long for its customer's history. */
const reservationsPerSlice = 500;

/**
 * Marks reservations that ran out; what they count is judged by their instant anyway (docs/design/api-decisioning.md 4). Returns true
 * when there may be more; call it again in another transaction. `oldestMs`: no reservation is older.
 */
export async function expireReservations(tx: Tx, oldestMs: number): Promise<boolean> {
  const due = await tx.query<{ id: string }>(
    `select id from interactions
     where tenant_id = $1 and id >= $3 and reservation_state = 'open' and reservation_expires_at <= $2
     order by reservation_expires_at limit $4 for update skip locked`,
    [tx.tenantId, tx.now, firstIdAt(Math.max(0, tx.now.getTime() - oldestMs)), reservationsPerSlice],
  );
  if (due.length === 0) return false;
  // Named by id, so that only their partitions are looked at.
  await tx.query(
    `update interactions set reservation_state = 'expired', reservation_settled_at = $3, reservation_settled_by = 'sweep'
     where tenant_id = $1 and id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(due.map((row) => row.id)), tx.now],
  );
  return due.length === reservationsPerSlice;
}
