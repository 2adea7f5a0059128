-- Ranking profiles: named weights of the objectives that flows may rank by (docs/design/api-catalogue.md 17).

create table arbiter.ranking_profiles (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  key text not null check (key ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  description text not null default '' check (char_length(description) <= 1000),
  weights jsonb not null check (jsonb_typeof(weights) = 'object'),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index ranking_profiles_name on arbiter.ranking_profiles (tenant_id, name) where deleted_at is null;
create unique index ranking_profiles_key on arbiter.ranking_profiles (tenant_id, key) where deleted_at is null;
select arbiter.protect_table('arbiter.ranking_profiles');
