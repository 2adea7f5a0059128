-- Auto-assembly of decision flows (docs/design/api-decisioning.md 6): what it did to the draft of a flow, run by run. The last 500 runs of
-- a flow are kept.
create table arbiter.flow_assembly_runs (
  tenant_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  trigger text not null check (trigger in (
    'offer.created', 'offer.updated', 'offer.status_changed', 'offer.deleted', 'offer.restored',
    'creative.created', 'creative.status_changed', 'bulk'
  )),
  -- The record that changed; null for several at once.
  entity_type text check (entity_type in ('offer', 'creative')),
  entity_id uuid,
  changes jsonb not null check (jsonb_typeof(changes) = 'array'),
  applied boolean not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, flow_id, id),
  check ((trigger = 'bulk') = (entity_id is null) and (entity_type is null) = (entity_id is null)),
  constraint flow_assembly_runs_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
comment on table arbiter.flow_assembly_runs is 'What auto-assembly did to the drafts of flows.';
select arbiter.protect_table('arbiter.flow_assembly_runs');
