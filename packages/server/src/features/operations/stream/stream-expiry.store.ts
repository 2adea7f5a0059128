import type { Tx } from '../../../db/index.ts';

/** Days to keep the event stream (docs/design/api-access.md 14, fixed lives). */
const streamDays = 7;
const dayMs = 86_400_000;
/** Rows per transaction, so that concurrent decisions don't wait. */
const rowsPerSlice = 2_000;

/**
 * Deletes expired, published rows of the tenant's stream, oldest first. Returns true when there may be more; call it
 * again in another transaction. Unpublished rows stay.
 */
export async function expireStream(tx: Tx): Promise<boolean> {
  const before = new Date(tx.now.getTime() - streamDays * dayMs);
  const [row] = await tx.query<{ deleted: number }>(
    `with oldest as (
       select id, created_at from outbox where tenant_id = $1 and position is not null order by position limit $3),
     gone as (
       delete from outbox o using oldest where o.tenant_id = $1 and o.id = oldest.id and oldest.created_at < $2 returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, before, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
