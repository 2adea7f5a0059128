import { type Tx, uuidArray } from '../../../../db/index.ts';
import { dayOf, rowCounts } from '../summaries.store.ts';

// The tenant's figures by day, all customers together: counted from what each batch leaves in the outbox, in bulk
// (docs/adr/0021). A customer's own are never written by decisions.

/** Names of the counted columns. */
export const countColumns = [
  'impressions',
  'positive',
  'negative',
  'neutral',
  'clicks',
  'converts',
  'total_value',
] as const;
const counts = countColumns;

/** SQL: the counts of one history row, column by column. */
export const countsOfRow = `
  (interaction_type = 'impression')::int as impressions,
  (interaction_type = 'response' and classification = 'positive')::int as positive,
  (interaction_type = 'response' and classification = 'negative')::int as negative,
  (interaction_type = 'response' and classification = 'neutral')::int as neutral,
  (interaction_type = 'response' and outcome_key = 'click')::int as clicks,
  (interaction_type = 'response' and is_conversion)::int as converts,
  case when interaction_type = 'response' then coalesce(conversion_value, 0) else 0 end as total_value`;

/**
 * SQL: the counts of the reported history row `u.id`, on its day. The limit keeps this a look-up by key per row: for a
 * partition that isn't analyzed yet, the planner expects almost no rows of the tenant and would read them all.
 */
export const countsOfReport = (from: string, seconds: string): string => `lateral (
      select ${dayOf('occurred_at', from, seconds)} as day, offer_id, creative_id, channel_id, direction, ${countsOfRow}
      from interactions where tenant_id = $1 and id = u.id and ${rowCounts} limit 1)`;

/**
 * SQL, CTEs `delta` and `added`: add the rows of a CTE `counted` (day, offer, creative, channel, direction and counts)
 * to the tenant's ($1) figures. The sums don't depend on how the work is split.
 */
export const addToTotals = `
  delta as (
    select day, offer_id, creative_id, channel_id, direction, ${counts.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from counted group by 1, 2, 3, 4, 5),
  added as (
    insert into daily_totals as t (tenant_id, day, offer_id, creative_id, channel_id, direction, ${counts.join(', ')})
    select $1, day, offer_id, creative_id, channel_id, direction, ${counts.join(', ')} from delta
    where ${counts.map((name) => `${name} <> 0`).join(' or ')}
    on conflict on constraint daily_totals_identity do update set
      ${counts.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')})`;

/** SQL: rows for a CTE `counted`: all of the tenant's ($1) history, and what retention took out of it. */
export const countsOfHistory = (from: string, seconds: string): string => `
    select ${dayOf('occurred_at', from, seconds)} as day, offer_id, creative_id, channel_id, direction, ${countsOfRow}
    from interaction_history where tenant_id = $1 and ${rowCounts}
    union all
    select day, offer_id, creative_id, channel_id, direction, ${counts.join(', ')} from interaction_summaries where tenant_id = $1`;

/** Deletes the tenant's figures before they're recounted in the same transaction. */
export async function clearTotals(tx: Tx): Promise<void> {
  await tx.query('delete from daily_totals where tenant_id = $1', [tx.tenantId]);
}

/** Dimensions of the tenant's figures. */
const dimensions = {
  day: 'day::text',
  offerId: 'offer_id',
  creativeId: 'creative_id',
  channelId: 'channel_id',
  direction: 'direction',
} as const;
export type TotalsDimension = keyof typeof dimensions;

/** The same and the customer, of whom the tenant's figures know nothing. */
const columnsOf = { ...dimensions, customerId: 'customer_id' } as const;

/** The requested dimensions, and the sums. */
export interface DailyTotals {
  readonly day?: string;
  readonly offerId?: string;
  readonly creativeId?: string | null;
  readonly channelId?: string | null;
  readonly direction?: 'inbound' | 'outbound';
  readonly impressions: number;
  readonly positive: number;
  readonly negative: number;
  readonly neutral: number;
  /** Outcomes `click`. */
  readonly clicks: number;
  readonly converts: number;
  readonly totalValue: number;
}

/**
 * The tenant's figures of the days `from` to `to` (both included, `2026-11-20`), a second behind at most; by day, offer,
 * creative, channel and direction, or by some of them. A day is the day of the tenant's zone when it was counted.
 */
export async function readTenantSummaries(
  tx: Tx,
  from: string,
  to: string,
  by: readonly TotalsDimension[] = ['day', 'offerId', 'creativeId', 'channelId', 'direction'],
): Promise<DailyTotals[]> {
  return tx.query<DailyTotals>(summed(by, 'from daily_totals where tenant_id = $1 and day between $2 and $3'), [
    tx.tenantId,
    from,
    to,
  ]);
}

/** SQL: sums over counted rows by some of their dimensions. */
export function summed(by: readonly (keyof typeof columnsOf)[], rest: string): string {
  const keys = by.map((name) => `${columnsOf[name]} as "${name}"`);
  const places = by.map((_, i) => `${i + 1}`);
  const order = by.map((_, i) => `${i + 1} nulls first`);
  const sums = counts.map((name) =>
    name === 'total_value'
      ? 'coalesce(sum(total_value), 0)::float8 as "totalValue"'
      : `coalesce(sum(${name}), 0)::float8 as ${name}`,
  );
  const groups = by.length > 0 ? `group by ${places.join(', ')} order by ${order.join(', ')}` : '';
  return `select ${[...keys, ...sums].join(', ')} ${rest} ${groups}`;
}

/** Returns a creative's counts so far, as far as retention left them. */
export interface CreativeTotals {
  readonly creativeId: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly conversions: number;
  readonly positive: number;
  readonly negative: number;
}

/** The figures of creatives, a second behind at most; those that nothing was counted of are left out. */
export async function readCreativeTotals(tx: Tx, creativeIds: readonly string[]): Promise<CreativeTotals[]> {
  if (creativeIds.length === 0) return [];
  return tx.query<CreativeTotals>(
    `select creative_id as "creativeId", sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks,
       sum(converts)::float8 as conversions, sum(positive)::float8 as positive, sum(negative)::float8 as negative
     from daily_totals where tenant_id = $1 and creative_id = any($2::uuid[]) group by creative_id`,
    [tx.tenantId, uuidArray(creativeIds)],
  );
}
