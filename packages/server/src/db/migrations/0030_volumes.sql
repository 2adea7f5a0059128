-- What was shown, and what it has cost, over all customers (docs/design/api-catalogue.md 6, 8.3). A row exists for what some
-- plan limits or counts; of a category it is only the lock under which the sum of its offers is compared with a limit.
create table arbiter.volumes (
  tenant_id uuid not null references arbiter.tenants (id),
  kind text not null check (kind in ('category', 'channel', 'creative', 'global', 'offer', 'subcategory')),
  -- Of kind global: the nil UUID.
  subject_id uuid not null,
  impressions bigint not null,
  spent_cents bigint not null,
  -- Of the day that day_at lies in.
  day_impressions bigint not null,
  day_spent_cents bigint not null,
  day_at timestamptz not null,
  primary key (tenant_id, kind, subject_id)
) with (fillfactor = 50);
comment on table arbiter.volumes is 'Impressions, open reservations among them, and booked costs over all customers.';
select arbiter.protect_table('arbiter.volumes');

-- Open reservations that the volumes count, so that they give back what they hold when they run out.
create table arbiter.volume_reservations (
  tenant_id uuid not null references arbiter.tenants (id),
  item_id uuid not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  cost_cents bigint not null,
  reserved_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, item_id)
);
comment on table arbiter.volume_reservations is 'Reservations that are counted in volumes until they are settled or run out.';
create index volume_reservations_due on arbiter.volume_reservations (tenant_id, expires_at);
select arbiter.protect_table('arbiter.volume_reservations');
