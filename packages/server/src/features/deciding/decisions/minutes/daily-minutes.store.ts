import type { Tx } from '../../../../db/index.ts';

/** Decision figures of a time span. */
export interface MinuteSums {
  readonly decisions: number;
  readonly failed: number;
  readonly empty: number;
  readonly degraded: number;
  readonly candidates: number;
  readonly policyBlocked: number;
}

/** Figures by the span's position in the requested list. */
export interface SpanSums extends MinuteSums {
  readonly span: number;
}

/**
 * Sums over whole minutes for each of the spans between these instants, the first to the second and so on; spans without
 * decisions are left out. `flowIds` null: all flows.
 */
export async function readMinuteSums(
  tx: Tx,
  bounds: readonly Date[],
  flowIds: readonly string[] | null,
): Promise<SpanSums[]> {
  return tx.query<SpanSums>(
    `select (width_bucket(minute, $2::timestamptz[]) - 1)::int as span, sum(decisions)::float8 as decisions,
       coalesce(sum((select sum(n::integer) from jsonb_each_text(errors) as e(code, n))) filter (where errors <> '{}'), 0)::float8
         as failed,
       sum(empty)::float8 as empty, sum(degraded)::float8 as degraded, sum(candidates)::float8 as candidates,
       sum(policy_blocked)::float8 as "policyBlocked"
     from decision_minutes
     where tenant_id = $1 and minute >= $3 and minute < $4 and ($5::uuid[] is null or flow_id = any($5))
     group by 1 order by 1`,
    [tx.tenantId, instants(bounds), bounds[0], bounds.at(-1), flowIds],
  );
}

const instants = (values: readonly Date[]): string => `{${values.map((at) => at.toISOString()).join(',')}}`;

/** Milliseconds within which this share of the decisions was made; null without decisions. */
export interface Quantiles {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

/** Quantiles of the times of decisions in whole minutes that begin in a span. */
export async function readQuantiles(tx: Tx, from: Date, to: Date): Promise<Quantiles> {
  const [row] = await tx.query<Quantiles>(
    `with bucket as (
       select u.bucket, sum(u.n)::integer as n
         from decision_minutes m cross join lateral unnest(m.durations) with ordinality as u(n, bucket)
        where m.tenant_id = $1 and m.minute >= $2 and m.minute < $3 group by u.bucket),
     summed as (
       select coalesce(array_agg(coalesce(b.n, 0) order by place), '{}') as durations
         from generate_series(1, (select max(bucket) from bucket)) as place left join bucket b on b.bucket = place)
     select arbiter.duration_quantile(durations, 0.5) / 1000.0::float8 as "p50Ms",
       arbiter.duration_quantile(durations, 0.95) / 1000.0::float8 as "p95Ms",
       arbiter.duration_quantile(durations, 0.99) / 1000.0::float8 as "p99Ms" from summed`,
    [tx.tenantId, from, to],
  );
  if (row === undefined) throw new Error('an aggregate has one row');
  return row;
}
