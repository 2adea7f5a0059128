import { type Tx, textArray } from '../../../db/index.ts';
import { type DayOffsets, dayOffsets } from '../../../platform/time/day-offsets.ts';

// A customer's summaries are their history, counted on demand, plus what retention removed from it, counted then
// (docs/adr/0021).

/** Parameters for `dayOf`: the instants from which offsets hold, and the offsets in seconds. */
export function dayParameters({ from, seconds }: DayOffsets): [from: string, seconds: string] {
  const instants = from.map((at) => (at === Number.NEGATIVE_INFINITY ? '-infinity' : new Date(at).toISOString()));
  return [`{${instants.join(',')}}`, `{${seconds.join(',')}}`];
}

/** SQL: the tenant's day of an instant, by the parameters of `dayParameters`. */
export const dayOf = (instant: string, from: string, seconds: string): string =>
  `((${instant} at time zone 'UTC')
    + (${seconds}::int[])[width_bucket(${instant}, ${from}::timestamptz[])] * interval '1 second')::date`;

/** SQL: the latest outcome of rows as one text of fixed shape, instant and key: its maximum holds the key of the latest. */
const outcomeText = (at: string, key: string): string =>
  `(lpad((extract(epoch from ${at}) * 1000000)::bigint::text, 18, '0') || ${key}) collate "C"`;

/**
 * SQL: what history rows count, for a `group by`. The outcome is the same in whatever order rows come: the latest outcome
 * wins, of two at one instant the one with the greater key.
 */
export const countsOfRows = `
  count(*) filter (where interaction_type = 'impression') as impressions,
  count(*) filter (where interaction_type = 'response' and classification = 'positive') as positive,
  count(*) filter (where interaction_type = 'response' and classification = 'negative') as negative,
  count(*) filter (where interaction_type = 'response' and classification = 'neutral') as neutral,
  count(*) filter (where interaction_type = 'response' and outcome_key = 'click') as clicks,
  count(*) filter (where interaction_type = 'response' and is_conversion) as converts,
  coalesce(sum(conversion_value) filter (where interaction_type = 'response'), 0) as total_value,
  max(occurred_at) filter (where interaction_type = 'impression') as last_contact_at,
  max(${outcomeText('occurred_at', 'outcome_key')}) filter (where interaction_type = 'response') as last_outcome`;

/** SQL: rows of history that count. A reservation is no contact yet; its confirmation is a row of its own. */
export const rowCounts = `offer_id is not null and interaction_type <> 'recommendation'`;

/** SQL: key of a day's period ($3). */
const formats = { day: 'YYYY-MM-DD', week: 'IYYY-"W"IW', month: 'YYYY-MM', all: '"all"' } as const;

export interface SummariesAsked {
  readonly period: keyof typeof formats;
  /** IANA zone that the tenant's days are counted in. */
  readonly zone: string;
  /** Only this period: `2026-11-20`, `2026-W47`, `2026-11`. */
  readonly periodKey?: string;
  readonly offerId?: string;
  readonly channelId?: string;
}

/** A customer's figures with one offer in a period, by creative, channel and direction. */
export interface CustomerSummary {
  readonly customerId: string;
  readonly periodKey: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly direction: 'inbound' | 'outbound';
  readonly impressions: number;
  readonly positive: number;
  readonly negative: number;
  readonly neutral: number;
  readonly clicks: number;
  readonly converts: number;
  readonly totalValue: number;
  readonly lastContactAt: Date | null;
  readonly lastOutcomeKey: string | null;
}

/**
 * Summaries of customers (docs/design/api-access.md 16), exact at the instant of the transaction's snapshot; the newest
 * period first. Days are those of the zone as it is now, for what retention compacted those of the zone as it was then.
 */
export async function readCustomerSummaries(
  tx: Tx,
  customerIds: readonly string[],
  { period, zone, periodKey, offerId, channelId }: SummariesAsked,
): Promise<CustomerSummary[]> {
  if (customerIds.length === 0) return [];
  const values = [
    tx.tenantId,
    textArray(customerIds),
    formats[period],
    ...dayParameters(await dayOffsets(zone)),
    periodKey ?? null,
    offerId ?? null,
    channelId ?? null,
  ];
  return tx.query<CustomerSummary>(summariesText, values);
}

const offerAndChannel = `($7::uuid is null or offer_id = $7) and ($8::uuid is null or channel_id = $8)`;
const summariesText = `
  with counted as (
    select customer_id, to_char(${dayOf('occurred_at', '$4', '$5')}, $3) as period_key, offer_id, creative_id, channel_id,
      direction, ${countsOfRows}
    from interaction_history
    where tenant_id = $1 and customer_id = any($2::text[]) and ${rowCounts} and ${offerAndChannel}
    group by 1, 2, 3, 4, 5, 6
    union all
    select customer_id, to_char(day, $3), offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral,
      clicks, converts, total_value, last_contact_at, ${outcomeText('last_outcome_at', 'last_outcome_key')}
    from interaction_summaries where tenant_id = $1 and customer_id = any($2::text[]) and ${offerAndChannel})
  select customer_id as "customerId", period_key as "periodKey", offer_id as "offerId", creative_id as "creativeId",
    channel_id as "channelId", direction, sum(impressions)::int as impressions, sum(positive)::int as positive,
    sum(negative)::int as negative, sum(neutral)::int as neutral, sum(clicks)::int as clicks,
    sum(converts)::int as converts,
    sum(total_value)::float8 as "totalValue", max(last_contact_at) as "lastContactAt",
    substr(max(last_outcome), 19) as "lastOutcomeKey"
  from counted where $6::text is null or period_key = $6
  group by customer_id, period_key, offer_id, creative_id, channel_id, direction
  order by customer_id, period_key desc, offer_id, creative_id nulls first, channel_id nulls first, direction`;

/**
 * SQL, CTEs `delta` and `added`: fold the history rows of a CTE `item` (with a `day`) into one row per customer, day, offer,
 * creative, channel and direction, and add them to the tenant's ($1) compacted summaries.
 */
export const compactIntoSummaries = `
  delta as (
    select customer_id, day, offer_id, creative_id, channel_id, direction,
      max(occurred_at) filter (where interaction_type = 'response') as last_outcome_at, ${countsOfRows}
    from item group by 1, 2, 3, 4, 5, 6),
  added as (
    insert into interaction_summaries as s (tenant_id, customer_id, day, offer_id, creative_id, channel_id, direction,
      impressions, positive, negative, neutral, clicks, converts, total_value, last_contact_at, last_outcome_key,
      last_outcome_at)
    select $1, customer_id, day, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral,
      clicks, converts, total_value, last_contact_at, substr(last_outcome, 19), last_outcome_at
    from delta order by customer_id
    on conflict on constraint interaction_summaries_identity do update set
      impressions = s.impressions + excluded.impressions,
      positive = s.positive + excluded.positive,
      negative = s.negative + excluded.negative,
      neutral = s.neutral + excluded.neutral,
      clicks = s.clicks + excluded.clicks,
      converts = s.converts + excluded.converts,
      total_value = s.total_value + excluded.total_value,
      last_contact_at = greatest(s.last_contact_at, excluded.last_contact_at),
      last_outcome_key = case
        when s.last_outcome_at is null
          or (excluded.last_outcome_at, excluded.last_outcome_key collate "C") > (s.last_outcome_at, s.last_outcome_key collate "C")
        then excluded.last_outcome_key else s.last_outcome_key end,
      last_outcome_at = greatest(s.last_outcome_at, excluded.last_outcome_at))`;
