-- Import of history, and erasure of customers (docs/design/api-decisioning.md 3, docs/design/api-settled.md 10, 103;
-- docs/design/quality.md T25).

-- Who was erased, and when: what happened before is not taken any more.
create table arbiter.customer_erasures (
  tenant_id uuid not null references arbiter.tenants (id),
  -- HMAC-SHA256 of the customer id by a key of the tenant: the id itself is nowhere any more.
  customer_hash bytea not null check (octet_length(customer_hash) = 32),
  -- By the clock of the process: events that are older are late.
  erased_at timestamptz(3) not null,
  -- By the clock of the database: tells decisions that began before it from those that began after it.
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, customer_hash)
);
comment on table arbiter.customer_erasures is 'Customers that were erased, by keyed hash.';
create index customer_erasures_recorded on arbiter.customer_erasures (tenant_id, recorded_at);
select arbiter.protect_table('arbiter.customer_erasures');

-- Keys of imported lines, for ever: a repeat of a file imports nothing twice.
create table arbiter.import_keys (
  tenant_id uuid not null references arbiter.tenants (id),
  -- HMAC-SHA256 by a key of the tenant, since a key may name its customer (docs/design/api-settled.md 103).
  key_hash bytea not null check (octet_length(key_hash) = 32),
  primary key (tenant_id, key_hash)
);
comment on table arbiter.import_keys is 'Keyed hashes of the keys of imported lines.';
select arbiter.protect_table('arbiter.import_keys');

-- What erased customers count in the tenant's figures, all of them together, for when the figures are counted anew from
-- history (docs/adr/0038-import-and-erasure.md).
create table arbiter.erased_totals (
  tenant_id uuid not null references arbiter.tenants (id),
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null,
  impressions bigint not null,
  positive bigint not null,
  negative bigint not null,
  neutral bigint not null,
  clicks bigint not null,
  converts bigint not null,
  total_value numeric not null,
  constraint erased_totals_identity unique nulls not distinct (tenant_id, day, offer_id, creative_id, channel_id, direction)
);
comment on table arbiter.erased_totals is 'What erased customers count in the figures of their tenant, by day.';
select arbiter.protect_table('arbiter.erased_totals');
