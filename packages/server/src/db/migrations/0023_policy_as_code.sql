-- Policy as code (api-settled.md 21 to 30): the files that were applied last, so that drift can be told without a folder.

create table arbiter.applied_files (
  tenant_id uuid not null references arbiter.tenants (id),
  -- Entity of the apply's audit row: everything after that row is drift.
  apply_id uuid not null,
  applied_at timestamptz(3) not null,
  user_id text not null,
  user_name text not null,
  config_version integer not null,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  files jsonb not null check (jsonb_typeof(files) = 'array'),
  primary key (tenant_id)
);
select arbiter.protect_table('arbiter.applied_files');
