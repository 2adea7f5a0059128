import type { Tx } from '../../../db/index.ts';

/** Days that the event stream is kept (docs/design/api-access.md 14, fixed lives). */
const streamDays = 7;
const dayMs = 86_400_000;
/** Rows of one transaction, so that the decisions beside it wait for nothing. */
const rowsPerSlice = 2_000;

/**
 * Deletes published rows of the tenant's stream that are older than it is kept, the oldest first. Returns true when
 * there may be more; call it again in another transaction. Rows that are not published yet stay.
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
