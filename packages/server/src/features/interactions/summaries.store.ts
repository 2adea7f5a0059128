/**
 * What the roll-up reads of the history row `u.id`. A reservation is no contact yet; its confirmation is a row of its own.
 * The limit keeps this a look-up by key, row by row: of a partition that was not analysed yet the planner believes that
 * the tenant has next to no rows in it, and would read them all.
 */
export const historyRow = `lateral (
      select id, customer_id, offer_id, creative_id, channel_id, direction, interaction_type, outcome_key, classification,
        is_conversion, conversion_value, occurred_at
      from interactions
      where tenant_id = $1 and id = u.id and offer_id is not null and interaction_type <> 'recommendation' limit 1) i`;

/**
 * CTEs `delta` and `added`: fold the history rows of a CTE `item` (rows without a day are left out) into one row per
 * customer, day, offer, creative, channel and direction, and add them to the tenant's ($1) day rows (docs/design/api-access.md 16).
 * The outcome is the same however history is cut into pieces and in whatever order: the latest outcome wins, of two at
 * one instant the one with the greater key.
 */
export const upsertSummaries = `
  delta as (
    select customer_id, day, offer_id, creative_id, channel_id, direction,
      count(*) filter (where interaction_type = 'impression') as impressions,
      count(*) filter (where interaction_type = 'response' and classification = 'positive') as positive,
      count(*) filter (where interaction_type = 'response' and classification = 'negative') as negative,
      count(*) filter (where interaction_type = 'response' and classification = 'neutral') as neutral,
      count(*) filter (where interaction_type = 'response' and is_conversion) as converts,
      coalesce(sum(conversion_value) filter (where interaction_type = 'response'), 0) as total_value,
      max(occurred_at) filter (where interaction_type = 'impression') as last_contact_at,
      max(occurred_at) filter (where interaction_type = 'response') as last_outcome_at,
      -- Instant and key as one text of fixed shape: its maximum holds the key of the latest outcome.
      max((lpad((extract(epoch from occurred_at) * 1000000)::bigint::text, 18, '0') || outcome_key) collate "C")
        filter (where interaction_type = 'response') as last_outcome
    from item where day is not null group by 1, 2, 3, 4, 5, 6),
  added as (
    insert into interaction_summaries as s (tenant_id, customer_id, day, offer_id, creative_id, channel_id, direction,
      impressions, positive, negative, neutral, converts, total_value, last_contact_at, last_outcome_key, last_outcome_at)
    select $1, customer_id, day, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral,
      converts, total_value, last_contact_at, substr(last_outcome, 19), last_outcome_at
    from delta order by customer_id
    on conflict on constraint interaction_summaries_identity do update set
      impressions = s.impressions + excluded.impressions,
      positive = s.positive + excluded.positive,
      negative = s.negative + excluded.negative,
      neutral = s.neutral + excluded.neutral,
      converts = s.converts + excluded.converts,
      total_value = s.total_value + excluded.total_value,
      last_contact_at = greatest(s.last_contact_at, excluded.last_contact_at),
      last_outcome_key = case
        when s.last_outcome_at is null
          or (excluded.last_outcome_at, excluded.last_outcome_key collate "C") > (s.last_outcome_at, s.last_outcome_key collate "C")
        then excluded.last_outcome_key else s.last_outcome_key end,
      last_outcome_at = greatest(s.last_outcome_at, excluded.last_outcome_at))`;
