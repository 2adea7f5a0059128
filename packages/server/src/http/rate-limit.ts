import type { RateLimit } from '@arbiter/contract';
import type { Database } from '../db/index.ts';

/** One limit applied to one caller. */
export interface Bucket {
  /** Tenant that the window belongs to; null for callers without a credential. */
  readonly tenantId: string | null;
  /** Limit and caller, at most 200 characters: `<operation id>:<window>:<caller>`. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds, rounded up, until the oldest counted call leaves the window. */
  readonly resetSeconds: number;
}

/** Where windows are kept: PostgreSQL, shared by all processes; a Redis store would be another function of this form. */
export interface RateLimitStore {
  /** Counts one call when the window has room for it; a refused call is not counted. One atomic step. */
  take(bucket: Bucket): Promise<RateLimitVerdict>;
}

const nilTenant = '00000000-0000-0000-0000-000000000000';

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
            ceil((hits[1] + $4::bigint) / 1000.0 - extract(epoch from clock_timestamp()) * 1000)::int as reset_ms,
            -- A window lost in a crash of the database is a few calls more, not worth a disk flush for each call.
            set_config('synchronous_commit', 'off', true)`;

const sweepStatement = `
  delete from rate_limit_windows
   where (tenant_id, bucket) in (
     select tenant_id, bucket from rate_limit_windows where expires_at < clock_timestamp()
      order by expires_at limit 200 for update skip locked)`;

const takesPerSweep = 100;
const maximumMemos = 10_000;

/** Windows in PostgreSQL. A store that does not answer within `timeoutMs` counts as down. */
export function createRateLimitStore(database: Pick<Database, 'withSystem'>, timeoutMs = 800): RateLimitStore {
  let takes = 0;
  // A full window stays full until its oldest call leaves it, whatever other processes do: until then a refusal needs
  // no database, and a caller who hammers a closed door costs nothing.
  const fullUntil = new Map<string, number>();
  return {
    async take({ tenantId, name, limit, windowSeconds }) {
      const memo = `${tenantId}:${name}`;
      const leftMs = (fullUntil.get(memo) ?? 0) - performance.now();
      if (leftMs > 0) return { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil(leftMs / 1000) };
      takes += 1;
      const sweep = takes % takesPerSweep === 0;
      const work = database.withSystem(
        'rate-limit',
        async (tx) => {
          const [row] = await tx.query<{ accepted: boolean; used: number; reset_ms: number }>(takeStatement, [
            tenantId ?? nilTenant,
            name,
            limit,
            windowSeconds * 1_000_000,
          ]);
          if (sweep) await tx.query(sweepStatement);
          return row!;
        },
        { statementTimeoutMs: timeoutMs },
      );
      const row = await within(work, timeoutMs);
      if (!row.accepted) {
        if (fullUntil.size >= maximumMemos) fullUntil.clear();
        fullUntil.set(memo, performance.now() + row.reset_ms);
      } else fullUntil.delete(memo);
      return {
        allowed: row.accepted,
        limit,
        remaining: Math.max(0, limit - row.used),
        resetSeconds: Math.max(1, Math.ceil(row.reset_ms / 1000)),
      };
    },
  };
}

/** Rejects when the work takes longer; the work itself ends by its own limits, and its late failure is nobody's. */
async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the store of rate limits did not answer in time')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Which bucket a call of an operation falls into. */
export function bucketOf(
  operationId: string,
  rule: RateLimit,
  caller: { readonly tenantId: string | null; readonly credentialId: string; readonly ip: string },
): Bucket {
  const who = { tenant: 'tenant', credential: caller.credentialId, ip: caller.ip }[rule.per];
  return {
    tenantId: rule.per === 'ip' ? null : caller.tenantId,
    name: `${rule.bucket ?? operationId}:${rule.limit}/${rule.windowSeconds}:${who}`.slice(0, 200),
    limit: rule.limit,
    windowSeconds: rule.windowSeconds,
  };
}
