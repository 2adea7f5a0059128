-- Alert rules (docs/design/api-access.md 10). The rule is configuration; what came of looking at it stands beside it, so that
-- a look every minute makes no versions of the rule.

create table arbiter.alerts (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 120),
  metric text not null,
  operator text not null check (operator in ('gt', 'lt', 'gte', 'lte', 'eq')),
  threshold double precision not null,
  window_minutes integer not null default 5 check (window_minutes between 1 and 10080),
  channels jsonb not null default '[]' check (jsonb_typeof(channels) = 'array'),
  cooldown_minutes integer not null default 60 check (cooldown_minutes between 0 and 10080),
  min_samples integer not null default 1 check (min_samples between 0 and 1000000),
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object'),
  enabled boolean not null default true,
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.alerts is 'Rules that watch figures of the tenant.';
select arbiter.protect_table('arbiter.alerts');
select arbiter.keep_versions('arbiter.alerts', 'alert');

create table arbiter.alert_states (
  tenant_id uuid not null,
  alert_id uuid not null,
  status text not null check (status in ('ok', 'fired', 'cooldown', 'delivery_failed', 'no_data')),
  last_evaluated_at timestamptz(3) not null,
  last_value double precision,
  last_fired_at timestamptz(3),
  last_event_id uuid,
  primary key (tenant_id, alert_id),
  foreign key (tenant_id, alert_id) references arbiter.alerts (tenant_id, id)
);
comment on table arbiter.alert_states is 'What came of the last look at each rule.';
select arbiter.protect_table('arbiter.alert_states');

create table arbiter.alert_events (
  tenant_id uuid not null,
  id uuid not null,
  alert_id uuid not null,
  fired_at timestamptz(3) not null,
  value double precision not null,
  baseline double precision,
  threshold double precision not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  deliveries jsonb not null check (jsonb_typeof(deliveries) = 'array'),
  primary key (tenant_id, id),
  foreign key (tenant_id, alert_id) references arbiter.alerts (tenant_id, id)
);
comment on table arbiter.alert_events is 'When rules fired, and what became of the messages.';
create index alert_events_rule on arbiter.alert_events (tenant_id, alert_id, id);
select arbiter.protect_table('arbiter.alert_events');
