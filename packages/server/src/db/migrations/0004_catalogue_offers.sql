-- Offers, creatives, qualification rules, contact policies and decision flows (part 2, section 2; api-catalogue.md 6-9).

create table arbiter.offers (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  category_id uuid,
  sub_category_id uuid,
  category text not null default 'engagement',
  "group" text not null default '',
  priority integer not null default 50 check (priority between 0 and 100),
  business_value double precision not null default 50 check (business_value between 0 and 100),
  mandatory boolean not null default false,
  mandatory_reason text,
  mandatory_expires_at timestamptz,
  mandatory_approved_by uuid,
  emergency_excluded boolean not null default false,
  description text not null default '',
  short_desc text not null default '',
  eligibility jsonb not null default '{}',
  budget jsonb not null default '{}',
  schedule jsonb not null default '{}',
  inventory jsonb not null default '{}',
  frequency_caps jsonb not null default '{}',
  metadata jsonb not null default '{}',
  tags jsonb not null default '[]',
  product_type text,
  margin double precision,
  revenue_value double precision check (revenue_value >= 0),
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  constraint offers_category foreign key (tenant_id, category_id) references arbiter.categories (tenant_id, id),
  constraint offers_sub_category foreign key (tenant_id, sub_category_id) references arbiter.sub_categories (tenant_id, id),
  constraint offers_mandatory_governed check (
    not mandatory
    or (mandatory_reason is not null and mandatory_expires_at is not null and mandatory_approved_by is not null)
  )
);
create unique index offers_name on arbiter.offers (tenant_id, name) where deleted_at is null;
create index offers_category on arbiter.offers (tenant_id, category_id) where deleted_at is null;
create index offers_sub_category on arbiter.offers (tenant_id, sub_category_id) where deleted_at is null;
select arbiter.protect_table('arbiter.offers');

create table arbiter.creatives (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  offer_id uuid not null,
  channel_id uuid not null,
  placement_id uuid,
  content_item_id uuid,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  template_type text not null default 'email_html',
  content jsonb not null default '{}',
  personalization jsonb not null default '[]',
  constraints jsonb not null default '{}',
  ab_test_variant text,
  weight integer not null default 100 check (weight between 0 and 100),
  -- Roll-up of the interaction summaries; nobody else writes it.
  metrics jsonb not null default '{}',
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  constraint creatives_offer foreign key (tenant_id, offer_id) references arbiter.offers (tenant_id, id),
  constraint creatives_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id),
  constraint creatives_placement foreign key (tenant_id, placement_id) references arbiter.placements (tenant_id, id)
);
create unique index creatives_name on arbiter.creatives (tenant_id, name) where deleted_at is null;
create index creatives_offer on arbiter.creatives (tenant_id, offer_id) where deleted_at is null;
create index creatives_channel on arbiter.creatives (tenant_id, channel_id) where deleted_at is null;
create index creatives_placement on arbiter.creatives (tenant_id, placement_id) where deleted_at is null;
select arbiter.protect_table('arbiter.creatives');

create table arbiter.qualification_rules (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  rule_type text not null,
  config jsonb not null,
  priority integer not null default 50 check (priority between 0 and 100),
  stage text not null check (stage in ('eligibility', 'fit', 'match', 'ranking')),
  -- Assignments in order: [{ id, scope, scopeId, createdAt }]. They belong to the rule: written, read, versioned and
  -- restored with it, and their targets are of many tables, so no foreign key could hold them.
  scopes jsonb not null,
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index qualification_rules_name on arbiter.qualification_rules (tenant_id, name) where deleted_at is null;
create index qualification_rules_order on arbiter.qualification_rules (tenant_id, priority desc, id desc);
create index qualification_rules_scopes on arbiter.qualification_rules using gin (scopes jsonb_path_ops);
select arbiter.protect_table('arbiter.qualification_rules');

create table arbiter.contact_policies (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  rule_type text not null,
  config jsonb not null,
  priority integer not null default 50 check (priority between 0 and 100),
  -- As in qualification_rules.
  scopes jsonb not null,
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index contact_policies_name on arbiter.contact_policies (tenant_id, name) where deleted_at is null;
create index contact_policies_order on arbiter.contact_policies (tenant_id, priority desc, id desc);
create index contact_policies_scopes on arbiter.contact_policies using gin (scopes jsonb_path_ops);
select arbiter.protect_table('arbiter.contact_policies');

create table arbiter.decision_flows (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  name text not null,
  description text not null default '',
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  auto_assembly boolean not null default true,
  is_default boolean not null default false,
  is_protected boolean not null default false,
  coupling_override text check (coupling_override in ('partial', 'atomic')),
  draft_config jsonb not null,
  -- Newest version in flow_versions; null before the first publish.
  published_version integer,
  row_version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index decision_flows_key on arbiter.decision_flows (tenant_id, key) where deleted_at is null;
-- Whatever races there are: never two defaults (quality.md T9).
create unique index decision_flows_default on arbiter.decision_flows (tenant_id) where is_default and deleted_at is null;
create index decision_flows_order on arbiter.decision_flows (tenant_id, status, updated_at desc, id desc);
select arbiter.protect_table('arbiter.decision_flows');

-- Published versions. They are never changed: decisions, records and replays name them.
create table arbiter.flow_versions (
  tenant_id uuid not null,
  flow_id uuid not null,
  version integer not null check (version >= 1),
  config jsonb not null,
  notes text,
  published_at timestamptz not null,
  published_by text not null,
  primary key (tenant_id, flow_id, version),
  constraint flow_versions_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
select arbiter.protect_table('arbiter.flow_versions', 'insert_only');
