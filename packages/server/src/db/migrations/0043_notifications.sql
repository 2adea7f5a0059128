-- Destinations of notifications, and messages that wait for them (contract part 1, 4.9; docs/design/api-access.md 9, 22).

create table arbiter.notification_providers (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null check (kind in ('slack', 'teams', 'webhook', 'ops_email')),
  name text not null check (length(name) between 1 and 120),
  enabled boolean not null,
  -- With bullets for secrets.
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  config_summary text not null,
  last_ok boolean,
  last_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  check ((last_ok is null) = (last_at is null))
);
comment on table arbiter.notification_providers is 'Where notifications go.';
select arbiter.protect_table('arbiter.notification_providers');

-- The secrets of a destination's config, as one JSON object by their paths, sealed with DATA_ENCRYPTION_KEY.
create table arbiter.notification_secrets (
  tenant_id uuid not null,
  provider_id uuid not null,
  sealed bytea not null,
  primary key (tenant_id, provider_id),
  foreign key (tenant_id, provider_id) references arbiter.notification_providers (tenant_id, id)
);
select arbiter.protect_table('arbiter.notification_secrets');
revoke select on arbiter.notification_secrets from arbiter_readonly;

-- Messages that are delivered in the background. A row goes when its message was taken, or is too old to matter.
create table arbiter.notification_deliveries (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  -- No foreign key: a destination that is deleted meanwhile is told as a failure.
  provider_id uuid,
  -- Instead of a destination: an address of the rule's own.
  target jsonb check ((target is null) <> (provider_id is null)),
  message jsonb not null check (jsonb_typeof(message) = 'object'),
  -- What it is about, and who is to hear of its end.
  type text not null check (type in ('report', 'trigger', 'alert')),
  origin_id uuid not null,
  channel smallint not null check (channel >= 0),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.notification_deliveries is 'Notifications that wait for their destination.';
create index notification_deliveries_age on arbiter.notification_deliveries (tenant_id, created_at);
select arbiter.protect_table('arbiter.notification_deliveries');
revoke select on arbiter.notification_deliveries from arbiter_readonly;
