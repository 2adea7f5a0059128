-- Counts behind the ranking objectives (docs/design/api-catalogue.md 17): a numbered state of the tenant that decisions hold in
-- memory and name in their records.
create table arbiter.objective_counts (
  tenant_id uuid not null references arbiter.tenants (id),
  number bigint not null check (number > 0),
  -- True: the whole state; false: the offers that changed since the number before, and those that went.
  is_whole boolean not null,
  body jsonb not null,
  made_at timestamptz not null,
  -- When the state was last found to be what history says.
  checked_at timestamptz not null,
  primary key (tenant_id, number)
);
comment on table arbiter.objective_counts is 'Numbered states of what ranking objectives count, by offer.';
create index objective_counts_whole on arbiter.objective_counts (tenant_id, number) where is_whole;
select arbiter.protect_table('arbiter.objective_counts');
