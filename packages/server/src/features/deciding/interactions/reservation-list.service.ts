import { type ReservationRow, reservationsListed } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { countReservations, selectReservations } from './reservations.store.ts';

/**
 * Returns a customer's reservations, newest first (docs/design/api-settled.md 86). Reports an expired one as such even
 * before it's swept.
 */
export async function listReservations(tx: Tx, customerId: string) {
  const rows = await selectReservations(tx, customerId, reservationsListed);
  const total = rows.length < reservationsListed ? rows.length : await countReservations(tx, customerId);
  const data = rows.flatMap(({ reservationState, reservationExpiresAt, createdAt, ...row }): ReservationRow[] => {
    if (reservationState === null || reservationExpiresAt === null) return [];
    const isOver = reservationState === 'open' && reservationExpiresAt <= tx.now;
    const state = isOver ? 'expired' : reservationState;
    return [{ ...row, state, expiresAt: reservationExpiresAt.toISOString(), createdAt: createdAt.toISOString() }];
  });
  return { customerId, data, total };
}
