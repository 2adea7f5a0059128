import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';

/** How far the stream was read. */
export interface Follower {
  readonly place: string;
  readonly isIdle: boolean;
}

/** Locks how far the tenant's stream was read. Undefined: nothing ever listened. */
export async function lockFollower(tx: Tx): Promise<Follower | undefined> {
  const [row] = await tx.query<Follower>(
    'select place, is_idle as "isIdle" from arbiter.event_followers where tenant_id = $1 for update',
    [tx.tenantId],
  );
  return row;
}

/** Locks the follower, and lets one that is idle begin at this place. */
export async function wakeFollower(tx: Tx, place: string): Promise<void> {
  await tx.query(
    `insert into arbiter.event_followers as f (tenant_id, place, is_idle) values ($1, $2, false)
     on conflict (tenant_id) do update set is_idle = false, place = case when f.is_idle then excluded.place else f.place end`,
    [tx.tenantId, place],
  );
}

export async function updateFollower(tx: Tx, { place, isIdle }: Follower): Promise<void> {
  await tx.query('update arbiter.event_followers set place = $2, is_idle = $3 where tenant_id = $1', [
    tx.tenantId,
    place,
    isIdle,
  ]);
}

/** Notes that triggers caused what the stream will report under these ids. */
export async function insertCauses(tx: Tx, ids: readonly string[], depth: number): Promise<void> {
  await tx.query(
    `insert into arbiter.event_causes as c (tenant_id, id, depth, created_at) select $1, id, $3, $4 from unnest($2::uuid[]) as id
     on conflict (tenant_id, id) do update set depth = greatest(c.depth, excluded.depth)`,
    [tx.tenantId, uuidArray(ids), depth, tx.now],
  );
}

/** The largest depth noted under any of these ids; 0 without one. */
export async function selectDepth(tx: Tx, ids: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ depth: number }>(
    'select coalesce(max(depth), 0) as depth from arbiter.event_causes where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, uuidArray(ids)],
  );
  return row?.depth ?? 0;
}

const rowsPerSlice = 2_000;

/** Deletes causes of events that the stream no longer keeps. */
export async function expireCauses(tx: Tx, before: Date): Promise<Removed> {
  const deletedRows = await tx.query(
    `delete from arbiter.event_causes where tenant_id = $1 and id in (
       select id from arbiter.event_causes where tenant_id = $1 and created_at < $2 order by created_at limit $3)
     returning 1`,
    [tx.tenantId, before, rowsPerSlice],
  );
  return { rows: deletedRows.length, more: deletedRows.length === rowsPerSlice };
}
