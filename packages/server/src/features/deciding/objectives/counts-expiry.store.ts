import type { Tx } from '../../../db/index.ts';

/** Room for clocks, and for a process that decides with a state it read a while ago. */
const graceDays = 1;

/**
 * Deletes states that no record needs, the oldest record being of `oldest`: those before the last whole one that was made
 * well before it. True when there may be more.
 */
export async function expireCounts(tx: Tx, oldest: Date): Promise<boolean> {
  await tx.query(
    `delete from objective_counts where tenant_id = $1 and number < (
       select max(number) from objective_counts
       where tenant_id = $1 and is_whole and made_at < $2::timestamptz - make_interval(days => $3))`,
    [tx.tenantId, oldest, graceDays],
  );
  return false;
}
