import type { Tx } from '../db/index.ts';

/**
 * Exact in any window (quality.md R13): under the row's lock the calls older than the window are dropped, and this one
 * is added when there is room. The database's clock counts, so that processes agree.
 */
const takeStatement = `
  insert into rate_limit_windows as w (tenant_id, bucket, hits, accepted, expires_at)
  select $1::uuid, $2, array[t.at], true, clock_timestamp() + $4::bigint * interval '1 microsecond'
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at) t
  on conflict (tenant_id, bucket) do update
    set (hits, accepted, expires_at) = (
      select case when cardinality(live.hits) < $3::int then live.hits || t.at else live.hits end,
             cardinality(live.hits) < $3::int,
             clock_timestamp() + $4::bigint * interval '1 microsecond'
        from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at) t,
             lateral (select array(select hit from unnest(w.hits) with ordinality as h (hit, place)
                                    where hit > t.at - $4::bigint order by place) as hits) live)
  returning accepted, cardinality(hits) as used,
            ceil((hits[1] + $4::bigint) / 1000.0 - extract(epoch from clock_timestamp()) * 1000)::int as "resetMs",
            -- A window lost in a crash of the database is a few calls more, not worth a disk flush for each call.
            set_config('synchronous_commit', 'off', true)`;

const sweepStatement = `
  delete from rate_limit_windows
   where (tenant_id, bucket) in (
     select tenant_id, bucket from rate_limit_windows where expires_at < clock_timestamp()
      order by expires_at limit 200 for update skip locked)`;

/** What became of one call. `used`: calls counted in the window; `resetMs`: until the oldest of them leaves it. */
export interface Hit {
  readonly accepted: boolean;
  readonly used: number;
  readonly resetMs: number;
}

/** Counts one call when its window has room for it. Needs a system transaction. */
export async function takeHit(
  tx: Tx,
  window: { readonly tenantId: string; readonly name: string; readonly limit: number; readonly windowSeconds: number },
): Promise<Hit> {
  const values = [window.tenantId, window.name, window.limit, window.windowSeconds * 1_000_000];
  const [hit] = await tx.query<Hit>(takeStatement, values);
  return hit!;
}

/** Deletes some of the windows that are over. Needs a system transaction. */
export async function sweepWindows(tx: Tx): Promise<void> {
  await tx.query(sweepStatement);
}
