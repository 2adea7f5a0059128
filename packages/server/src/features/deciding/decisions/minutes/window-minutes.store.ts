import type { Tx } from '../../../../db/index.ts';

/** A span of time, half-open, and the flows of which decisions are counted; null: all. */
export interface MinuteWindow {
  readonly from: Date;
  readonly to: Date;
  readonly flowIds: readonly string[] | null;
}

/** How decisions went in a window. */
export interface DecisionFigures {
  readonly decisions: number;
  readonly empty: number;
  readonly failed: number;
  readonly candidates: number;
  readonly policyBlocked: number;
  readonly degraded: number;
  /** Milliseconds; null without decisions. */
  readonly p99Ms: number | null;
}

/** Whole minutes that begin in the window; the minute that runs is written when it has ended. */
export async function readDecisionFigures(tx: Tx, { from, to, flowIds }: MinuteWindow): Promise<DecisionFigures> {
  const [row] = await tx.query<DecisionFigures>(
    `with counted as (
       select * from decision_minutes
        where tenant_id = $1 and minute >= $2 and minute < $3 and ($4::uuid[] is null or flow_id = any($4))),
     buckets as (
       select coalesce(array_agg(n order by bucket), '{}') as durations
         from (select u.bucket, sum(u.n)::integer as n
                 from counted, unnest(durations) with ordinality as u(n, bucket) group by u.bucket) summed)
     select coalesce(sum(decisions), 0)::float8 as decisions, coalesce(sum(empty), 0)::float8 as empty,
       coalesce(sum((select sum(n::integer) from jsonb_each_text(errors) as e(code, n))), 0)::float8 as failed,
       coalesce(sum(candidates), 0)::float8 as candidates, coalesce(sum(policy_blocked), 0)::float8 as "policyBlocked",
       coalesce(sum(degraded), 0)::float8 as degraded,
       (select arbiter.duration_quantile(durations, 0.99) / 1000.0 from buckets)::float8 as "p99Ms"
     from counted`,
    [tx.tenantId, from, to, flowIds],
  );
  if (row === undefined) throw new Error('an aggregate has one row');
  return row;
}
