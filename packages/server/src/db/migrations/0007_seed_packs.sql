-- Demo data packs that a tenant has loaded (contract part 1, 4.14; api-access.md 13), and which rows came with them.

create table arbiter.seed_packs (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  key text not null,
  version integer not null check (version > 0),
  -- Resource -> number of rows.
  counts jsonb not null check (jsonb_typeof(counts) = 'object'),
  -- Resource -> ids: what unloading takes away again.
  records jsonb not null check (jsonb_typeof(records) = 'object'),
  loaded_at timestamptz(3) not null,
  primary key (tenant_id, key)
);
comment on table arbiter.seed_packs is 'Packs a tenant has loaded; names and keys of their rows are the tenant''s.';
select arbiter.protect_table('arbiter.seed_packs');
