-- History that costs less to write: the impressions of a decision stand in one row, a customer's summaries are read from
-- his history, and the tenant's own figures are counted from what each batch leaves in the outbox (docs/adr, "History is
-- packed, summaries are read"). Settlements of reservations and how a response found its item are kept.

-- One row for all items that a decision showed on implicit channels. `id` is the decision's; the ids of its items follow
-- from it (their last byte is the rank), as in interactions. An array is null when no item has such an id, and has one
-- element when all items have the same one.
create table arbiter.decision_impressions (
  tenant_id uuid not null,
  id uuid not null,
  customer_id text not null,
  occurred_at timestamptz not null,
  offer_ids uuid[] not null,
  creative_ids uuid[],
  channel_ids uuid[],
  placement_ids uuid[],
  category_ids uuid[],
  -- Null: these are all items of the decision, 1, 2, 3 and so on. Else the others were reserved and stand in interactions.
  ranks smallint[],
  -- What the caller sent as context.
  context jsonb,
  -- Null until there are releases.
  release_id uuid,
  primary key (tenant_id, id)
) partition by range (id);
create index decision_impressions_customer on arbiter.decision_impressions (tenant_id, customer_id, id);
select arbiter.protect_table('arbiter.decision_impressions');
select arbiter.ensure_month_partitions('arbiter.decision_impressions', date_trunc('month', now())::date, 4);

alter table arbiter.interactions
  -- First settlement of a reservation: when it ceased to be open, and by what.
  add column reservation_settled_at timestamptz,
  add column reservation_settled_by text check (reservation_settled_by in
    ('impression', 'response', 'not_presented', 'expired', 'release_failed', 'sweep')),
  -- How what was reported found what it is about; null for what decisions write.
  add column resolved_by text check (resolved_by in ('interaction', 'recommendation', 'creative', 'offer', 'import')),
  add column release_id uuid;

-- Every item and every report, one row each, wherever it is stored. `row_id` is the key of the stored row: who reads a
-- range of time bounds it (`row_id >= ...`), since ids of packed items are worked out and no index has them.
create view arbiter.interaction_history with (security_invoker = true) as
select tenant_id, id as row_id, id, customer_id, interaction_type, outcome_key, classification, direction, is_conversion,
  offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, campaign_id, journey_id,
  conversion_value, currency, context, attributes, details, occurred_at, created_at, reservation_state,
  reservation_expires_at, reservation_settled_at, reservation_settled_by, resolved_by, release_id
from arbiter.interactions
union all
select p.tenant_id, p.id, overlay(p.id::text placing lpad(to_hex(coalesce(p.ranks[i.place], i.place)), 2, '0') from 35)::uuid,
  p.customer_id, 'impression'::text, 'impression'::text, 'neutral'::text, 'outbound'::text, false, i.offer_id,
  case when cardinality(p.creative_ids) = 1 then p.creative_ids[1] else p.creative_ids[i.place] end,
  case when cardinality(p.channel_ids) = 1 then p.channel_ids[1] else p.channel_ids[i.place] end,
  case when cardinality(p.placement_ids) = 1 then p.placement_ids[1] else p.placement_ids[i.place] end,
  case when cardinality(p.category_ids) = 1 then p.category_ids[1] else p.category_ids[i.place] end,
  p.id, coalesce(p.ranks[i.place], i.place)::smallint, null::uuid, null::uuid, null::numeric, null::text, p.context,
  null::jsonb, null::jsonb, p.occurred_at, p.occurred_at, null::text, null::timestamptz, null::timestamptz, null::text,
  null::text, p.release_id
from arbiter.decision_impressions p cross join lateral unnest(p.offer_ids) with ordinality as i(offer_id, place);
grant select on arbiter.interaction_history to arbiter_app, arbiter_readonly;

-- The tenant's figures by day, all customers together.
create table arbiter.daily_totals (
  tenant_id uuid not null,
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null check (direction in ('inbound', 'outbound')),
  impressions integer not null,
  positive integer not null,
  negative integer not null,
  neutral integer not null,
  converts integer not null,
  total_value numeric not null,
  constraint daily_totals_identity
    unique nulls not distinct (tenant_id, day, offer_id, creative_id, channel_id, direction)
) with (fillfactor = 70);
-- What was rolled up so far. The migration sees the tenants' rows only while row-level security is not forced on it.
alter table arbiter.interaction_summaries no force row level security;
insert into arbiter.daily_totals
select tenant_id, day, offer_id, creative_id, channel_id, direction, sum(impressions), sum(positive), sum(negative),
  sum(neutral), sum(converts), sum(total_value)
from arbiter.interaction_summaries group by tenant_id, day, offer_id, creative_id, channel_id, direction;
-- From here on the summaries of a customer are what retention took out of history; nothing has been taken yet.
truncate arbiter.interaction_summaries;
alter table arbiter.interaction_summaries force row level security;
select arbiter.protect_table('arbiter.daily_totals');

-- What a batch showed, counted by lane (offer, creative, channel): for the tenant's figures, and for the batch's events,
-- which name lanes by their place here. One channel stands for all.
alter table arbiter.outbox
  add column lane_offers uuid[] not null default '{}',
  add column lane_creatives uuid[] not null default '{}',
  add column lane_channels uuid[] not null default '{}',
  add column lane_impressions integer[] not null default '{}';
-- Most of it are random bytes: compressing costs more than it saves.
alter table arbiter.outbox
  alter column events set storage external,
  alter column lane_offers set storage external,
  alter column lane_creatives set storage external,
  alter column lane_channels set storage external,
  alter column lane_impressions set storage external;
