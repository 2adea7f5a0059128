import { numberArray, type Tx, textArray, uuidArray } from '../../db/index.ts';

/**
 * Counts calls in several windows, `calls` in each. Exact for any window (docs/design/quality.md R13): under the row's
 * lock it drops calls older than the window and adds as many as there is room for. Uses the database's clock, so
 * processes agree. Calls added together get one instant, later than all before, which tells them apart. Rows are locked
 * in key order, so two processes can't deadlock.
 */
const takeStatement = `
  with asked as (
    select * from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::int[])
      as a (tenant_id, bucket, calls, most, micros, fewest)
  ), taken as (
    insert into rate_limit_windows as w (tenant_id, bucket, hits, accepted, expires_at)
    select a.tenant_id, a.bucket, array_fill(t.at, array[least(a.calls, a.most)]), true,
           clock_timestamp() + a.micros * interval '1 microsecond'
      from asked a, (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at) t
     order by a.tenant_id, a.bucket
    on conflict (tenant_id, bucket) do update
      set (hits, accepted, expires_at) = (
        select live.hits || array_fill(next.at, array[room.calls]), room.calls > 0, excluded.expires_at
          from asked a,
               lateral (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at) t,
               lateral (select array(select hit from unnest(w.hits) with ordinality as h (hit, place)
                                      where hit > t.at - a.micros order by place) as hits) live,
               lateral (select greatest(t.at, live.hits[cardinality(live.hits)] + 1) as at) next,
               lateral (select a.most - cardinality(live.hits) as calls) free,
               lateral (select case when free.calls < a.fewest then 0 else least(a.calls, free.calls) end as calls) room
         where a.tenant_id = w.tenant_id and a.bucket = w.bucket)
    returning tenant_id, bucket, accepted, hits
  )
  select k.tenant_id as "tenantId", k.bucket as name, cardinality(k.hits) as used,
         case when k.accepted
              then (select count(*) from unnest(k.hits) as h (hit) where hit = k.hits[cardinality(k.hits)]) else 0
         end::int as granted,
         ceil((k.hits[1] + a.micros) / 1000.0 - extract(epoch from clock_timestamp()) * 1000)::int as "resetMs",
         -- A window lost in a crash of the database is a few calls more, not worth a disk flush for each call.
         set_config('synchronous_commit', 'off', true)
    from taken k join asked a using (tenant_id, bucket)`;

const sweepStatement = `
  delete from rate_limit_windows
   where (tenant_id, bucket) in (
     select tenant_id, bucket from rate_limit_windows where expires_at < clock_timestamp()
      order by expires_at limit 200 for update skip locked)`;

/** Calls in one window that arrived together. */
export interface Calls {
  readonly tenantId: string;
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly calls: number;
  /** If fewer than this fit, none is admitted. */
  readonly fewest: number;
}

/** The outcome of those calls. */
export interface WindowCount {
  readonly tenantId: string;
  readonly name: string;
  /** Calls now in the window. */
  readonly used: number;
  /** How many of these calls were admitted. */
  readonly granted: number;
  /** Milliseconds until the oldest call leaves the window. */
  readonly resetMs: number;
}

/** Counts calls in several windows, each listed at most once, as far as there is room. Needs a system transaction. */
export async function takeCalls(tx: Tx, windows: readonly Calls[]): Promise<readonly WindowCount[]> {
  return tx.query<WindowCount>(takeStatement, [
    uuidArray(windows.map(({ tenantId }) => tenantId)),
    textArray(windows.map(({ name }) => name)),
    numberArray(windows.map(({ calls }) => calls)),
    numberArray(windows.map(({ limit }) => limit)),
    numberArray(windows.map(({ windowSeconds }) => windowSeconds * 1_000_000)),
    numberArray(windows.map(({ fewest }) => fewest)),
  ]);
}

/** Deletes some expired windows. Needs a system transaction. */
export async function sweepWindows(tx: Tx): Promise<void> {
  await tx.query(sweepStatement);
}
