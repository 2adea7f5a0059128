import type { NarrowRow } from '../../../../db/columns.ts';
import type { Tx } from '../../../../db/index.ts';

/** The columns of a `decision_minutes` row. Its quantiles follow from the histogram. */
export type MinuteRow = Omit<
  NarrowRow<
    'decision_minutes',
    {
      errors: Readonly<Record<string, number>>;
      durations: number[];
      candidates: number;
      policyBlocked: number;
      policyErrors: number;
      computeErrors: number;
    }
  >,
  'tenantId' | 'p50Us' | 'p99Us'
>;

/** Adds these figures to those that other processes have written for the same minutes, flows and arms. */
export async function addMinutes(tx: Tx, rows: readonly MinuteRow[]): Promise<void> {
  await tx.query(
    `insert into decision_minutes as known (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
       policy_blocked, degraded, policy_errors, compute_errors, durations)
     select $1, u."minute", u."flowId", u."flowVersion", u."arm", u."decisions", u."empty", u."errors", u."candidates",
       u."policyBlocked", u."degraded", u."policyErrors", u."computeErrors", u."durations"
     from jsonb_to_recordset($2::jsonb) as u("minute" timestamptz, "flowId" uuid, "flowVersion" integer, "arm" smallint,
       "decisions" integer, "empty" integer, "errors" jsonb, "candidates" bigint, "policyBlocked" bigint, "degraded" integer,
       "policyErrors" bigint, "computeErrors" bigint, "durations" integer[])
     -- The same order in every process, so that they do not deadlock.
     order by u."minute", u."flowId", u."flowVersion", u."arm"
     on conflict (tenant_id, minute, flow_id, flow_version, arm) do update set
       decisions = known.decisions + excluded.decisions,
       empty = known.empty + excluded.empty,
       errors = (
         select coalesce(jsonb_object_agg(code, n), '{}') from (
           select code, sum(n::integer) as n
           from (select * from jsonb_each_text(known.errors) union all select * from jsonb_each_text(excluded.errors))
             as each_of(code, n)
           group by code) summed),
       candidates = known.candidates + excluded.candidates,
       policy_blocked = known.policy_blocked + excluded.policy_blocked,
       degraded = known.degraded + excluded.degraded,
       policy_errors = known.policy_errors + excluded.policy_errors,
       compute_errors = known.compute_errors + excluded.compute_errors,
       durations = (
         select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by at), '{}')
         from unnest(known.durations, excluded.durations) with ordinality as bucket(a, b, at))`,
    [tx.tenantId, JSON.stringify(rows)],
  );
}

/** SQL of the latest minute in which the tenant `v.tenant_id` decided, and one of its rows. */
export const lastMinute = `select minute as at, decisions as amount from decision_minutes m
  where m.tenant_id = v.tenant_id order by minute desc limit 1`;

/** Rows of one transaction. */
const rowsPerSlice = 2_000;

/** Deletes the tenant's minutes that are older than this many days. True when there may be more. */
export async function expireMinutes(tx: Tx, days: number): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (
       select minute, flow_id, flow_version, arm from decision_minutes
       where tenant_id = $1 and minute < $2::timestamptz - make_interval(days => $3) order by minute limit $4),
     gone as (
       delete from decision_minutes m using due where m.tenant_id = $1 and m.minute = due.minute and m.flow_id = due.flow_id
         and m.flow_version = due.flow_version and m.arm = due.arm returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}
