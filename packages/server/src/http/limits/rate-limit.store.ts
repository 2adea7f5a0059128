import { numberArray, type Tx, textArray, uuidArray } from '../../db/index.ts';

/**
 * Counts calls of several windows, `calls` of each. Exact in any window (docs/design/quality.md R13): under the row's lock the calls
 * older than the window are dropped, and as many are added as there is room for. The database's clock counts, so that
 * processes agree. The calls added together have one instant, later than all before, and so can be told from those.
 * Rows are locked in the order of their keys, so that two processes cannot lock each other out.
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

/** Calls of one window that came together. */
export interface Calls {
  readonly tenantId: string;
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly calls: number;
  /** Where there is room for fewer of them, none is let through. */
  readonly fewest: number;
}

/** What became of them. */
export interface Taken {
  readonly tenantId: string;
  readonly name: string;
  /** Calls in the window now. */
  readonly used: number;
  /** Calls of these that were let through. */
  readonly granted: number;
  /** Until the oldest call leaves the window. */
  readonly resetMs: number;
}

/** Counts calls of several windows, each at most once in the list, as far as there is room. Needs a system transaction. */
export async function takeCalls(tx: Tx, windows: readonly Calls[]): Promise<readonly Taken[]> {
  return tx.query<Taken>(takeStatement, [
    uuidArray(windows.map(({ tenantId }) => tenantId)),
    textArray(windows.map(({ name }) => name)),
    numberArray(windows.map(({ calls }) => calls)),
    numberArray(windows.map(({ limit }) => limit)),
    numberArray(windows.map(({ windowSeconds }) => windowSeconds * 1_000_000)),
    numberArray(windows.map(({ fewest }) => fewest)),
  ]);
}

/** Deletes some of the windows that are over. Needs a system transaction. */
export async function sweepWindows(tx: Tx): Promise<void> {
  await tx.query(sweepStatement);
}
