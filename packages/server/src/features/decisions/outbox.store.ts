import type { Database, Tx } from '../../db/index.ts';

/** An event of the stream (api-access.md 12.1). */
export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  readonly timestamp: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface OutboxRow {
  readonly id: string | number;
  readonly events: readonly StreamEvent[];
}

/** Tenants with rows that nobody has published yet, and the age of the oldest. */
export async function readPendingTenants(
  database: Database,
): Promise<{ readonly tenantId: string; readonly ageSeconds: number }[]> {
  return database.withSystem('outbox', (tx) =>
    tx.query<{ tenantId: string; ageSeconds: number }>(
      `select tenant_id as "tenantId", greatest(0, extract(epoch from $1::timestamptz - min(created_at)))::float8 as "ageSeconds"
       from arbiter.outbox where position is null group by tenant_id order by min(id)`,
      [tx.now],
    ),
  );
}

/** Takes the oldest pending rows; null when another node works on this tenant. */
export async function claimPending(tx: Tx, limit: number): Promise<OutboxRow[] | null> {
  const [lock] = await tx.query<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('outbox:' || $1, 0)) as taken`,
    [tx.tenantId],
  );
  if (lock?.taken !== true) return null;
  const rows = await tx.query<{ id: string | number; events: string }>(
    `select id, events from outbox where tenant_id = $1 and position is null order by id limit $2 for update`,
    [tx.tenantId, limit],
  );
  return rows.map((row) => ({ id: row.id, events: JSON.parse(row.events) as StreamEvent[] }));
}

/** Gives the rows the next places of the tenant's stream. */
export async function publish(tx: Tx, rows: readonly OutboxRow[]): Promise<void> {
  const [head] = await tx.query<{ position: number }>(
    `insert into stream_heads as h (tenant_id, position) values ($1, $2)
     on conflict (tenant_id) do update set position = h.position + $2 returning position`,
    [tx.tenantId, rows.length],
  );
  const before = Number(head!.position) - rows.length;
  await tx.query(
    `update outbox set position = $2::bigint + array_position($3::bigint[], id) where tenant_id = $1 and id = any($3::bigint[])`,
    [tx.tenantId, before, rows.map((row) => row.id)],
  );
}
