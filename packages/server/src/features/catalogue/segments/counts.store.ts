import { inTime } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { type Definition, membersQuery } from './membership-sql.store.ts';

/**
 * Milliseconds that a request may spend counting. Everything must be answered within four seconds
 * (platform/deadline.ts); what takes longer continues as a job.
 */
const countWithinMs = 2_000;

/** Number of members. */
export async function countMembers(tx: Tx, definition: Definition): Promise<number> {
  const { text, values } = membersQuery(definition);
  const [row] = await tx.query<{ count: number | string }>(`select count(*) as count from (${text}) m`, values);
  return Number(row?.count ?? 0);
}

/** Returns the number of members; null when counting takes longer than a request may. */
export const countInTime = (tx: Tx, definition: Definition, withinMs = countWithinMs): Promise<number | null> =>
  inTime(tx, () => countMembers(tx, definition), withinMs);
