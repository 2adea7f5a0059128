-- What the HTTP layer keeps: answers of calls that carried an Idempotency-Key, and the windows of rate limits.

-- One row for each committed effect whose call carried a key, written in the transaction of the effect
-- (quality.md 2). Scope: tenant, credential, route. Rows older than 7 days count as absent and are deleted on the way.
create table arbiter.idempotency_keys (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  credential_id text not null check (char_length(credential_id) between 1 and 200),
  route text not null check (char_length(route) between 1 and 200),
  key text not null check (char_length(key) between 1 and 255),
  payload_hash bytea not null check (octet_length(payload_hash) = 32),
  status smallint not null check (status between 200 and 299),
  headers jsonb not null,
  body text,
  created_at timestamptz not null,
  primary key (tenant_id, credential_id, route, key)
);
comment on table arbiter.idempotency_keys is 'Answers kept for repeated calls with the same Idempotency-Key.';
create index idempotency_keys_age on arbiter.idempotency_keys (tenant_id, created_at);
select arbiter.protect_table('arbiter.idempotency_keys');

-- Sliding windows: the instants (epoch microseconds) of the calls that were let through. Limits are counted before the
-- tenant is known too, so only arbiter_system has rights here; buckets without a tenant carry the nil UUID.
create table arbiter.rate_limit_windows (
  tenant_id uuid not null,
  bucket text not null check (char_length(bucket) between 1 and 200),
  hits bigint[] not null,
  accepted boolean not null,
  expires_at timestamptz not null,
  primary key (tenant_id, bucket)
);
comment on table arbiter.rate_limit_windows is 'Calls let through per limit and caller; accepted = the last one was.';
create index rate_limit_windows_age on arbiter.rate_limit_windows (expires_at);
select arbiter.isolate_table('arbiter.rate_limit_windows');
revoke all on arbiter.rate_limit_windows from public;
select arbiter.open_to_system('arbiter.rate_limit_windows', 'select, insert, update, delete');
