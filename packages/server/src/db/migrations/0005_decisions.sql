-- Decisions: the customer's state row (lock and truth for caps), sealed records and their plans, interaction history,
-- summaries, evidence, outbox, traces (decisioning.md 3-6, api-decisioning.md 2-4, 11, 12).
-- Row design and its price: docs/adr, "Rows of the hot path".

create table arbiter.customer_states (
  tenant_id uuid not null,
  customer_id text not null,
  -- Name of the customer inside records: erasing this row makes them anonymous without touching a partition.
  ref uuid not null,
  -- Random part of the customer's data key (customer-keys.ts); erasing it destroys the key and with it every sealed body.
  data_key bytea not null,
  -- customer-state-codec.ts. Updated by every decision; no index holds it, so updates stay on their page.
  state bytea not null,
  primary key (tenant_id, customer_id)
) with (fillfactor = 70);
alter table arbiter.customer_states alter column state set storage external;
create unique index customer_states_ref on arbiter.customer_states (tenant_id, ref);
select arbiter.protect_table('arbiter.customer_states');

-- Plans are stored once by the hash of their content.
create table arbiter.plans (
  tenant_id uuid not null,
  hash bytea not null,
  -- Raw-deflated RFC 8785 form of the snapshot.
  body bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, hash)
);
alter table arbiter.plans alter column body set storage external;
select arbiter.protect_table('arbiter.plans');

-- One sealed record per decision. id = recommendationId, a UUIDv7 whose last byte is 0; the ids of its items follow it.
create table arbiter.decisions (
  tenant_id uuid not null,
  id uuid not null,
  -- Null when the server made it: then it equals id.
  request_id uuid,
  customer_ref uuid not null,
  source text not null,
  decided_at timestamptz not null,
  flow_id uuid not null,
  flow_version integer,
  plan_hash bytea not null,
  config_version bigint not null,
  evidence_number bigint not null,
  engine_version text not null,
  item_count smallint not null,
  trace_id uuid,
  result_hash bytea not null,
  -- Inputs and result, packed and encrypted with the customer's key.
  body bytea not null,
  primary key (tenant_id, id)
) partition by range (id);
select arbiter.protect_table('arbiter.decisions');

-- Requests whose id the client made: uniqueness and the stored answer (records are partitioned by time and cannot hold it).
create table arbiter.decision_requests (
  tenant_id uuid not null,
  request_id uuid not null,
  decision_id uuid not null,
  customer_ref uuid not null,
  payload_hash bytea not null,
  -- The answer, encrypted with the customer's key.
  answer bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, request_id)
);
select arbiter.protect_table('arbiter.decision_requests');

-- Interaction history: one row per returned item and per recorded outcome.
create table arbiter.interactions (
  tenant_id uuid not null,
  id uuid not null,
  customer_id text not null,
  interaction_type text not null check (interaction_type in ('recommendation', 'impression', 'response')),
  outcome_key text,
  classification text not null check (classification in ('positive', 'negative', 'neutral')),
  direction text not null check (direction in ('inbound', 'outbound')),
  is_conversion boolean not null default false,
  offer_id uuid,
  creative_id uuid,
  channel_id uuid,
  placement_id uuid,
  category_id uuid,
  recommendation_id uuid,
  rank smallint,
  campaign_id uuid,
  journey_id uuid,
  conversion_value numeric,
  currency text,
  context jsonb,
  attributes jsonb,
  details jsonb,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  -- Of a recommendation on an explicit channel: open, confirmed, expired or released.
  reservation_state text check (reservation_state in ('open', 'confirmed', 'expired', 'released')),
  reservation_expires_at timestamptz,
  primary key (tenant_id, id)
) partition by range (id);
create index interactions_customer on arbiter.interactions (tenant_id, customer_id, id);
select arbiter.protect_table('arbiter.interactions');

-- Keys of responses, explicit and derived, kept 7 days (api-decisioning.md 3).
create table arbiter.response_keys (
  tenant_id uuid not null,
  key_hash bytea not null,
  payload_hash bytea not null,
  customer_id text not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, key_hash)
);
create index response_keys_age on arbiter.response_keys (tenant_id, created_at);
select arbiter.protect_table('arbiter.response_keys');

-- Evidence: a numbered state. A change gets its number under the head's lock, so numbers are whole in commit order.
create table arbiter.evidence_heads (
  tenant_id uuid not null primary key,
  number bigint not null
);
select arbiter.protect_table('arbiter.evidence_heads');

create table arbiter.evidence_changes (
  tenant_id uuid not null,
  number bigint not null,
  offer_id uuid not null,
  category_id uuid,
  positives integer not null,
  negatives integer not null,
  primary key (tenant_id, number)
);
select arbiter.protect_table('arbiter.evidence_changes');

create table arbiter.evidence_snapshots (
  tenant_id uuid not null,
  number bigint not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, number)
);
select arbiter.protect_table('arbiter.evidence_snapshots');

-- One row per batch of events. The dispatcher gives it its place in the stream, so that readers never miss a late commit.
create table arbiter.outbox (
  tenant_id uuid not null,
  id bigint generated always as identity,
  -- JSON array of our own making; as text, since the database never looks inside.
  events text not null,
  created_at timestamptz not null,
  -- Null while pending.
  position bigint,
  primary key (tenant_id, id)
);
create index outbox_pending on arbiter.outbox (id) where position is null;
create unique index outbox_stream on arbiter.outbox (tenant_id, position) where position is not null;
select arbiter.protect_table('arbiter.outbox');

create table arbiter.stream_heads (
  tenant_id uuid not null primary key,
  position bigint not null
);
select arbiter.protect_table('arbiter.stream_heads');

-- Roll-up of history by local day, made from the outbox; weeks, months and all time are sums of days, so one write serves
-- them all. Can be rebuilt at will.
create table arbiter.interaction_summaries (
  tenant_id uuid not null,
  customer_id text not null,
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null,
  impressions integer not null,
  positive integer not null,
  negative integer not null,
  neutral integer not null,
  converts integer not null,
  total_value numeric not null,
  last_contact_at timestamptz,
  last_outcome_key text,
  last_outcome_at timestamptz,
  constraint interaction_summaries_identity
    unique nulls not distinct (tenant_id, customer_id, day, offer_id, creative_id, channel_id, direction)
);
select arbiter.protect_table('arbiter.interaction_summaries');

create table arbiter.decision_traces (
  tenant_id uuid not null,
  id uuid not null,
  decision_id uuid not null,
  request_id uuid not null,
  customer_id text not null,
  decision_flow_key text not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index decision_traces_customer on arbiter.decision_traces (tenant_id, customer_id, id);
create index decision_traces_request on arbiter.decision_traces (tenant_id, request_id);
select arbiter.protect_table('arbiter.decision_traces');

-- The dispatcher looks for tenants with pending rows before it knows a tenant (architecture.md 5, door one).
grant select (tenant_id, id, position, created_at) on arbiter.outbox to arbiter_system;
create policy system_pending on arbiter.outbox for select to arbiter_system using (position is null);

-- Partitions for the months around the migration; the maintenance job keeps three months ahead.
select arbiter.ensure_month_partitions('arbiter.decisions', date_trunc('month', now())::date, 4);
select arbiter.ensure_month_partitions('arbiter.interactions', date_trunc('month', now())::date, 4);
