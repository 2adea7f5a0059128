import type { HotRow, HotStatement } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Removed } from '../../../jobs/index.ts';
import { daysSeconds, firstLiteral, type MetricQuery, type RangeQuery } from './compute-sql.store.ts';

/** Parameters of the zone's days, as `metricDayParameters` returns them. */
export type DayParameters = readonly [from: string, seconds: string];

/**
 * Makes computations and erasures of the tenant wait for each other, until the transaction ends: a computation that began
 * before an erasure would bring back the erased values.
 */
export async function holdValues(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.behavioral_metric_values:' || $1, 0))`, [
    tx.tenantId,
  ]);
}

const daysLock = `hashtextextended('arbiter.behavioral_metric_days:' || $1, 0)`;

/** Lets transactions add to realtime metrics side by side, but not while one is rebuilt. */
export const shareDays = (tenantId: string): HotStatement => ({
  name: 'behavioral-metrics.share',
  text: `select pg_advisory_xact_lock_shared(${daysLock})`,
  values: [tenantId],
});

/** Runs statements of the hot path in an ordinary transaction, in order. */
export async function runStatements(tx: Tx, statements: readonly HotStatement[]): Promise<void> {
  for (const { text, values } of statements) await tx.query(text, values);
}

/** Reads with statements of the hot path in an ordinary transaction, in order. */
export async function readStatements(tx: Tx, statements: readonly HotStatement[]): Promise<(readonly HotRow[])[]> {
  const answers = [];
  for (const { text, values } of statements) answers.push(await tx.query<HotRow>(text, values));
  return answers;
}

/** Waits for transactions that add to realtime metrics, and keeps others from it until this one ends. */
export async function holdDays(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${daysLock})`, [tx.tenantId]);
}

/** A statement that replaces the values of a metric by those of the query. */
export function replaceText({ text, values }: MetricQuery): string {
  const metric = `$${firstLiteral + values.length}::uuid`;
  return `with fresh as materialized (${text}),
    gone as (
      delete from behavioral_metric_values v where v.tenant_id = $1 and v.metric_id = ${metric}
        and not exists (select from fresh f where f.customer_id = v.customer_id and f.dimensions = v.dimensions)),
    written as (
      insert into behavioral_metric_values as v (tenant_id, customer_id, metric_id, dimensions, value)
      select $1, customer_id, ${metric}, dimensions, value from fresh
      on conflict (tenant_id, customer_id, metric_id, dimensions) do update set value = excluded.value
        where v.value <> excluded.value)
    select count(*)::int as count from fresh where ${usesDays}`;
}

/** Same for the sums by day of a realtime metric, of the customers in a range. */
export function replaceDaysText({ text, values, range }: RangeQuery): string {
  const metric = `$${firstLiteral + values.length}::uuid`;
  return `with fresh as materialized (${text}),
    gone as (
      delete from behavioral_metric_days v where v.tenant_id = $1 and v.metric_id = ${metric}${range('v.customer_id')}
        and not exists (select from fresh f
          where f.customer_id = v.customer_id and f.dimensions = v.dimensions and f.day = v.day)),
    written as (
      insert into behavioral_metric_days as v (tenant_id, customer_id, metric_id, dimensions, day, value)
      select $1, customer_id, ${metric}, dimensions, day, value from fresh
      on conflict (tenant_id, customer_id, metric_id, dimensions, day) do update set value = excluded.value
        where v.value <> excluded.value)
    select count(*)::int as count from (select from fresh where ${usesDays} group by customer_id, dimensions) counted`;
}

/** Every parameter must have a use, and not every metric asks for days. */
const usesDays = `cardinality(${daysSeconds}::int[]) > 0 and cardinality($2::timestamptz[]) > 0`;

/** Runs a statement of `replaceText` or `replaceDaysText`. Returns the number of values. */
export async function runReplacement(
  tx: Tx,
  text: string,
  query: MetricQuery,
  metricId: string,
  days: DayParameters,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(text, [tx.tenantId, ...days, ...query.values, metricId]);
  return row?.count ?? 0;
}

/** Deletes all values of a metric. */
export async function clearValues(tx: Tx, metricId: string): Promise<void> {
  const metric = [tx.tenantId, metricId];
  await tx.query('delete from behavioral_metric_values where tenant_id = $1 and metric_id = $2', metric);
  await tx.query('delete from behavioral_metric_days where tenant_id = $1 and metric_id = $2', metric);
  await tx.query(
    'update behavioral_metric_states set value_count = 0, last_computed_at = null, last_error = null where tenant_id = $1 and metric_id = $2',
    metric,
  );
}

/** Local days that count for a realtime metric, both included; null: all. */
export interface DayBounds {
  readonly firstDay: string;
  readonly lastDay: string;
}

/**
 * SQL of the values of one metric ($2) as they are now, for parameters `first` and `last` with the days of its window (null:
 * all). One of the two tables is empty.
 */
const currentValues = (first: string, last: string): string => `
  select customer_id, dimensions, value from behavioral_metric_values where tenant_id = $1 and metric_id = $2
  union all
  select customer_id, dimensions, sum(value) from behavioral_metric_days
   where tenant_id = $1 and metric_id = $2
     and (${first}::text is null or day >= ${first}::date) and (${last}::text is null or day <= ${last}::date)
   group by customer_id, dimensions`;

export interface StoredValue {
  readonly id: string;
  readonly customerId: string;
  readonly dimensions: readonly (string | null)[];
  readonly value: number;
}

/** The highest values, of all customers or of one. The id of a value follows from what it is of. */
export async function selectTop(
  tx: Tx,
  metricId: string,
  {
    customerId,
    bounds,
    limit,
  }: { readonly customerId: string | null; readonly bounds: DayBounds | null; readonly limit: number },
): Promise<{ readonly rows: StoredValue[]; readonly total: number }> {
  const days = [bounds?.firstDay ?? null, bounds?.lastDay ?? null];
  const values = [tx.tenantId, metricId, ...days, customerId];
  const from = `from (${currentValues('$3', '$4')}) v where $5::text is null or customer_id = $5`;
  const rows = await tx.query<StoredValue>(
    `select md5($2 || ' ' || customer_id || ' ' || dimensions::text)::uuid as id, customer_id as "customerId",
       dimensions, value::float8 as value ${from} order by v.value desc, customer_id collate "C", dimensions limit $6`,
    [...values, limit],
  );
  const [count] = await tx.query<{ total: number }>(`select count(*)::int as total ${from}`, values);
  return { rows, total: count?.total ?? 0 };
}

/** Number of values of realtime metrics, by metric; `bounds` by metric. */
export async function countCurrent(tx: Tx, metricId: string, bounds: DayBounds | null): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from (${currentValues('$3', '$4')}) v`,
    [tx.tenantId, metricId, bounds?.firstDay ?? null, bounds?.lastDay ?? null],
  );
  return row?.total ?? 0;
}

/** Deletes a customer's values. Returns their number; the days of one realtime metric are one value. */
export async function eraseValues(tx: Tx, customerId: string): Promise<number> {
  const customer = [tx.tenantId, customerId];
  const [batch] = await tx.query<{ count: number }>(
    `with gone as (delete from behavioral_metric_values where tenant_id = $1 and customer_id = $2 returning 1)
     select count(*)::int as count from gone`,
    customer,
  );
  const [days] = await tx.query<{ count: number }>(
    `with gone as (
       delete from behavioral_metric_days where tenant_id = $1 and customer_id = $2 returning metric_id, dimensions)
     select count(distinct (metric_id, dimensions))::int as count from gone`,
    customer,
  );
  return (batch?.count ?? 0) + (days?.count ?? 0);
}

const rowsPerSlice = 5_000;

/**
 * Deletes values of metrics that were last computed this many days ago, and sums of days that are as old and that no window
 * reaches.
 */
export async function expireValues(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ count: number }>(
    `with oldest as (select $2::timestamptz - make_interval(days => $3) as at),
     stale as (
       delete from behavioral_metric_values v where v.tenant_id = $1 and (v.tenant_id, v.customer_id, v.metric_id, v.dimensions) in (
         select o.tenant_id, o.customer_id, o.metric_id, o.dimensions
           from behavioral_metric_values o
           join behavioral_metric_states s on s.tenant_id = $1 and s.metric_id = o.metric_id, oldest
          where o.tenant_id = $1 and s.last_computed_at < oldest.at limit $4)
       returning 1),
     past as (
       delete from behavioral_metric_days d where d.tenant_id = $1 and (d.tenant_id, d.customer_id, d.metric_id, d.dimensions, d.day) in (
         select o.tenant_id, o.customer_id, o.metric_id, o.dimensions, o.day
           from behavioral_metric_days o
           join behavioral_metrics m on m.tenant_id = $1 and m.id = o.metric_id, oldest
          where o.tenant_id = $1 and m.window_days is not null and o.day < (oldest.at - interval '1 day')::date
            and o.day < ($2::timestamptz - make_interval(days => m.window_days + 1))::date limit $4)
       returning 1)
     select ((select count(*) from stale) + (select count(*) from past))::int as count`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  const rows = row?.count ?? 0;
  return { rows, more: rows >= rowsPerSlice };
}
