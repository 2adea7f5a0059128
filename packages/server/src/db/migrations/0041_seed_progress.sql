-- How far the loading of demo data is (docs/design/api-access.md 13): written beside the transaction that loads, so that others see it.
create table arbiter.seed_progress (
  tenant_id uuid primary key references arbiter.tenants (id) on delete cascade,
  key text not null,
  status text not null check (status in ('loading', 'unloading', 'completed', 'failed')),
  step text not null,
  progress integer not null check (progress between 0 and 100),
  updated_at timestamp(3) with time zone not null
);
select arbiter.protect_table('arbiter.seed_progress');
