-- Flow routes, and what keeps offers from a customer (docs/design/api-catalogue.md 12, 18).

create table arbiter.flow_routes (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  -- Null: any. A route with a placement has the placement's channel.
  channel_id uuid,
  placement_id uuid check (placement_id is null or channel_id is not null),
  decision_flow_id uuid not null,
  priority integer not null default 0 check (priority between 0 and 1000),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id),
  foreign key (tenant_id, placement_id) references arbiter.placements (tenant_id, id),
  foreign key (tenant_id, decision_flow_id) references arbiter.decision_flows (tenant_id, id)
);
comment on table arbiter.flow_routes is 'Which flow runs for requests that name none, by channel and placement.';
-- One route for each pair; null is a value of the pair.
create unique index flow_routes_placement_id on arbiter.flow_routes (tenant_id, placement_id, channel_id)
  nulls not distinct where deleted_at is null;
create index flow_routes_channel on arbiter.flow_routes (tenant_id, channel_id) where deleted_at is null;
create index flow_routes_flow on arbiter.flow_routes (tenant_id, decision_flow_id) where deleted_at is null;
select arbiter.protect_table('arbiter.flow_routes');
select arbiter.keep_versions('arbiter.flow_routes', 'flowRoute', 'version', 'id', '{}');

create table arbiter.customer_suppressions (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  customer_id text not null,
  scope text not null check (scope in ('global', 'category', 'offer')),
  -- Id of the offer or category; `all` for scope global.
  scope_id text not null check ((scope = 'global') = (scope_id = 'all')),
  -- `manual`, else the type of the policy that wrote it.
  policy_type text not null,
  policy_id uuid check ((policy_id is null) = (policy_type = 'manual')),
  reason text not null,
  trigger_count integer not null check (trigger_count > 0),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.customer_suppressions is 'What keeps offers from customers, set by persons and by policies.';
create unique index customer_suppressions_of on arbiter.customer_suppressions
  (tenant_id, customer_id, scope, scope_id, policy_id) nulls not distinct;
select arbiter.protect_table('arbiter.customer_suppressions');

-- The suppressions as decisions read them, beside the state that they lock anyway; null: there are none
-- (docs/adr/0028-suppressions-beside-the-state.md).
alter table arbiter.customer_states add column suppressions jsonb
  check (suppressions is null or jsonb_typeof(suppressions) = 'array');
