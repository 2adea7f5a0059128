-- Models that score offers (docs/design/api-decisioning.md 15), what they learned, and which decisions they scored.

create table arbiter.algorithm_models (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 10000),
  model_type text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  predictors jsonb not null default '[]' check (jsonb_typeof(predictors) = 'array'),
  outcome_weights jsonb not null default '{}' check (jsonb_typeof(outcome_weights) = 'object'),
  auto_learn boolean not null default false,
  learn_mode text not null default 'none' check (learn_mode in ('none', 'scheduled', 'continuous')),
  learning_config jsonb not null default '{}' check (jsonb_typeof(learning_config) = 'object'),
  -- What it began this version with; null: with nothing. What it learned since stands in model_states.
  model_state jsonb check (jsonb_typeof(model_state) = 'object'),
  registry_status text not null default 'draft'
    check (registry_status in ('draft', 'shadow', 'challenger', 'champion', 'archived')),
  family text check (char_length(family) between 1 and 255),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index algorithm_models_key on arbiter.algorithm_models (tenant_id, key) where deleted_at is null;
create unique index algorithm_models_champion on arbiter.algorithm_models (tenant_id, family)
  where deleted_at is null and registry_status = 'champion' and family is not null;
select arbiter.protect_table('arbiter.algorithm_models');
select arbiter.keep_versions('arbiter.algorithm_models', 'algorithmModel');

-- What a model has learned. Beside the model, because it changes with every response and a model's own row is a version of
-- the catalogue. `published_hash` names what decisions are made with: it follows at most every ten seconds.
create table arbiter.model_states (
  tenant_id uuid not null,
  model_id uuid not null,
  state jsonb not null,
  state_version bigint not null default 1 check (state_version > 0),
  samples bigint not null default 0 check (samples >= 0),
  -- Position of the stream up to which it has learned.
  learned_to bigint not null check (learned_to >= 0),
  -- Decisions up to this instant were looked through for impressions without a response.
  silent_to timestamptz(3) not null,
  learned_at timestamptz(3),
  published_hash bytea check (octet_length(published_hash) = 32),
  published_version bigint not null default 0,
  published_at timestamptz(3),
  primary key (tenant_id, model_id),
  foreign key (tenant_id, model_id) references arbiter.algorithm_models (tenant_id, id)
);
comment on table arbiter.model_states is 'What models have learned.';
select arbiter.protect_table('arbiter.model_states');

-- States that decisions were made with, each once by the hash of its canonical form. They live as long as records name them.
create table arbiter.model_state_bodies (
  tenant_id uuid not null references arbiter.tenants (id),
  hash bytea not null check (octet_length(hash) = 32),
  -- Raw-deflated canonical form.
  body bytea not null,
  -- When it was last handed to a process that decides.
  used_at timestamptz(3) not null,
  primary key (tenant_id, hash)
);
comment on table arbiter.model_state_bodies is 'States of models that decisions were made with.';
select arbiter.protect_table('arbiter.model_state_bodies');

-- Which models that learn scored a decision, so that its outcomes teach them. It holds nothing of the customer.
create table arbiter.model_decisions (
  tenant_id uuid not null references arbiter.tenants (id),
  decision_id uuid not null,
  model_id uuid not null,
  made_at timestamptz(3) not null,
  primary key (tenant_id, decision_id, model_id)
);
comment on table arbiter.model_decisions is 'Decisions that were scored by models that learn.';
create index model_decisions_made on arbiter.model_decisions (tenant_id, model_id, made_at);
select arbiter.protect_table('arbiter.model_decisions');
