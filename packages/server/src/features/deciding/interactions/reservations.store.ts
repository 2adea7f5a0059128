import { columns, select, table } from '../../../db/columns.ts';
import { numberArray, type Tx, textArray, uuidArray } from '../../../db/index.ts';
import type { InteractionsRow } from '../../../db/rows.ts';
import { firstIdAt } from '../../../platform/ids.ts';

const dueColumns = columns(table('interactions'), ['id', 'customerId']);

type SettledBy = NonNullable<InteractionsRow['reservationSettledBy']>;

/** What a response does to a reservation. */
export interface Settlement {
  readonly state: 'confirmed' | 'released' | 'expired';
  readonly by: SettledBy;
  /** Number of the response in the order of the customer's commits. */
  readonly customerSeq: number;
}

/**
 * Sets the state of reservations, by item ID. Keeps what first settled each, when, and under which number of the
 * customer: a late impression of a released item counts, but the reservation ended with the release.
 */
export async function settleReservations(tx: Tx, settlements: ReadonlyMap<string, Settlement>): Promise<void> {
  if (settlements.size === 0) return;
  const each = [...settlements.values()];
  const ofEach = (list: string): string => `(${list})[array_position($2::uuid[], id)]`;
  await tx.query(
    // Named by id, so that only their partitions are read.
    `update interactions set reservation_state = ${ofEach('$3::text[]')},
       reservation_settled_at = coalesce(reservation_settled_at, $6),
       reservation_settled_by = coalesce(reservation_settled_by, ${ofEach('$4::text[]')}),
       reservation_settled_seq = coalesce(reservation_settled_seq, ${ofEach('$5::bigint[]')})
     where tenant_id = $1 and id = any($2::uuid[])`,
    [
      tx.tenantId,
      uuidArray([...settlements.keys()]),
      textArray(each.map(({ state }) => state)),
      textArray(each.map(({ by }) => by)),
      numberArray(each.map(({ customerSeq }) => customerSeq)),
      tx.now,
    ],
  );
}

/** An open reservation that has expired. */
export interface DueReservation {
  readonly id: string;
  readonly customerId: string;
}

/** Open reservations that expired, the longest due first. `oldestMs`: none is older. */
export async function findDueReservations(tx: Tx, oldestMs: number, limit: number): Promise<DueReservation[]> {
  return select(
    tx,
    dueColumns,
    `from interactions where tenant_id = $1 and id >= $3 and reservation_state = 'open' and reservation_expires_at <= $2
     order by reservation_expires_at, id limit $4`,
    [tx.tenantId, tx.now, firstIdAt(Math.max(0, tx.now.getTime() - oldestMs)), limit],
  );
}

/** Returns those of the reservations that are still open, by expiry, locked until the transaction ends. */
export async function lockOpenReservations(tx: Tx, ids: readonly string[]): Promise<DueReservation[]> {
  return select(
    tx,
    dueColumns,
    `from interactions where tenant_id = $1 and id = any($2::uuid[]) and reservation_state = 'open'
     order by reservation_expires_at, id for update skip locked`,
    [tx.tenantId, uuidArray(ids)],
  );
}

/** Marks reservations as run out, each with the number of its settlement; null for a customer that was erased. */
export async function markExpired(
  tx: Tx,
  rows: readonly { readonly id: string; readonly settledSeq: number | null }[],
): Promise<void> {
  // Named by id, so that only their partitions are read.
  await tx.query(
    `update interactions set reservation_state = 'expired', reservation_settled_at = $4, reservation_settled_by = 'sweep',
       reservation_settled_seq = ($3::bigint[])[array_position($2::uuid[], id)]
     where tenant_id = $1 and id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(rows.map((row) => row.id)), numberArray(rows.map((row) => row.settledSeq)), tx.now],
  );
}

const listedColumns = columns(
  table<'interactions', { reservationState: 'open' | 'confirmed' | 'expired' | 'released' | null }>('interactions'),
  ['id', 'offerId', 'creativeId', 'channelId', 'reservationState', 'reservationExpiresAt', 'createdAt'],
);

/** A customer's reservations, newest first. */
export async function selectReservations(tx: Tx, customerId: string, limit: number) {
  return select(
    tx,
    listedColumns,
    `from interactions where tenant_id = $1 and customer_id = $2 and reservation_state is not null
     order by id desc limit $3`,
    [tx.tenantId, customerId, limit],
  );
}

/** Returns how many reservations a customer ever had, as far as history goes. */
export async function countReservations(tx: Tx, customerId: string): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from interactions
     where tenant_id = $1 and customer_id = $2 and reservation_state is not null`,
    [tx.tenantId, customerId],
  );
  return row?.total ?? 0;
}
