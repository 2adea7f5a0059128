import type { Tx } from '../../../db/tx.ts';

/** Seconds that the oldest event of the tenant has waited for delivery; 0 when none waits. */
export async function readOutboxLag(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ seconds: number }>(
    `select coalesce(greatest(0, extract(epoch from $2::timestamptz - min(created_at))), 0)::float8 as seconds
       from outbox where tenant_id = $1 and position is null`,
    [tx.tenantId, tx.now],
  );
  return row?.seconds ?? 0;
}
