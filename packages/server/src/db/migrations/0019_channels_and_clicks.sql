-- Secrets of the providers that channels send by (docs/design/api-catalogue.md 5.1, 20): the config holds bullets in their
-- place, so that no record, version or audit row shows them. Sealed with DATA_ENCRYPTION_KEY.

create table arbiter.channel_secrets (
  tenant_id uuid not null,
  channel_id uuid not null,
  -- Below the channel's providerConfig: /apiKey, or /headers/ and the name in lower case.
  path text not null,
  sealed bytea not null,
  primary key (tenant_id, channel_id, path),
  constraint channel_secrets_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id)
);
select arbiter.protect_table('arbiter.channel_secrets');

-- Where a delivery finds the customer's address; null: what is usual for the type of the channel.
alter table arbiter.channels add column address_attribute text;

-- Clicks beside the other figures: the metrics of a creative show them (docs/design/api-catalogue.md 7).
alter table arbiter.daily_totals add column clicks integer not null default 0;
alter table arbiter.interaction_summaries add column clicks integer not null default 0;
create index daily_totals_creative on arbiter.daily_totals (tenant_id, creative_id) where creative_id is not null;
-- What was counted so far, from history; the migration sees the tenants' rows only while row-level security is not forced
-- on it. Clicks that wait in the outbox are counted when they are published.
alter table arbiter.daily_totals no force row level security;
alter table arbiter.interactions no force row level security;
alter table arbiter.outbox no force row level security;
alter table arbiter.tenant_settings no force row level security;
insert into arbiter.daily_totals as t (tenant_id, day, offer_id, creative_id, channel_id, direction, impressions, positive,
  negative, neutral, converts, total_value, clicks)
select i.tenant_id, (i.occurred_at at time zone coalesce(z.name, 'UTC'))::date, i.offer_id, i.creative_id, i.channel_id,
  i.direction, 0, 0, 0, 0, 0, 0, count(*)
from arbiter.interactions i
left join arbiter.tenant_settings s on s.tenant_id = i.tenant_id
left join pg_timezone_names z on z.name = s.overrides ->> 'timezone'
where i.interaction_type = 'response' and i.outcome_key = 'click' and i.offer_id is not null
  and not exists (select from arbiter.outbox o
                   where o.tenant_id = i.tenant_id and o.position is null and i.id = any (o.item_ids))
group by 1, 2, 3, 4, 5, 6
on conflict on constraint daily_totals_identity do update set clicks = t.clicks + excluded.clicks;
alter table arbiter.daily_totals force row level security;
alter table arbiter.interactions force row level security;
alter table arbiter.outbox force row level security;
alter table arbiter.tenant_settings force row level security;
