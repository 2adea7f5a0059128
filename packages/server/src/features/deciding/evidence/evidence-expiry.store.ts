import type { Tx } from '../../../db/index.ts';

/** Rows of one transaction. */
const rowsPerSlice = 5_000;
/** A process that is an hour behind reloads its state (evidence-keeper.ts). This leaves room for clocks. */
const graceDays = 1;

/**
 * Deletes changes and snapshots that no record needs, given that the oldest record is from `oldest`: those covered by
 * the last snapshot from well before it. Every later state can be rebuilt from that one. True if there may be more.
 */
export async function expireEvidence(tx: Tx, oldest: Date): Promise<boolean> {
  const [base] = await tx.query<{ number: number }>(
    `select number from evidence_snapshots
     where tenant_id = $1 and created_at < $2::timestamptz - make_interval(days => $3) order by number desc limit 1`,
    [tx.tenantId, oldest, graceDays],
  );
  if (base === undefined) return false;
  await tx.query('delete from evidence_snapshots where tenant_id = $1 and number < $2', [tx.tenantId, base.number]);
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select number from evidence_changes where tenant_id = $1 and number <= $2 order by number limit $3),
     gone as (delete from evidence_changes c using due where c.tenant_id = $1 and c.number = due.number returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, base.number, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
