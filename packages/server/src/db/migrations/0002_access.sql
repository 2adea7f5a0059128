-- Access: users, settings, API keys, audit log (contract part 1, sections 2, 4.2; api-access.md 4, 5, 6, 7).

-- Name by which the operator's bootstrap file finds a tenant again. Kept apart from the display name, so that nobody can
-- take over an operator's tenant, or hide one from the file, by a name of their own choice.
alter table arbiter.tenants add column bootstrap_name text;
-- The only unique index that does not lead with the tenant: these names are the operator's, no tenant can set one.
create unique index tenants_bootstrap_name on arbiter.tenants (bootstrap_name) where bootstrap_name is not null;

-- Decisions that a playground has used up (api-access.md 5.4). Only playgrounds have a row.
create table arbiter.playground_quotas (
  tenant_id uuid primary key references arbiter.tenants (id),
  used integer not null default 0 check (used >= 0)
);
select arbiter.protect_table('arbiter.playground_quotas');
revoke delete on arbiter.playground_quotas from arbiter_app;

-- What the tenant set; absent keys have the defaults of the contract.
create table arbiter.tenant_settings (
  tenant_id uuid primary key references arbiter.tenants (id),
  version integer not null check (version > 0),
  overrides jsonb not null check (jsonb_typeof(overrides) = 'object'),
  updated_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.tenant_settings');
revoke delete on arbiter.tenant_settings from arbiter_app;

create table arbiter.users (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  email text not null,
  -- The address as it is compared: one row per address and tenant, whatever the letter case (quality.md E8).
  email_key text not null,
  name text not null,
  role text not null check (role in ('admin', 'editor', 'viewer', 'member')),
  source text not null check (source in ('registration', 'invite', 'scim', 'sso', 'google', 'bootstrap')),
  email_verified_at timestamptz(3),
  deactivated_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint users_email_key unique (tenant_id, email_key)
);
select arbiter.protect_table('arbiter.users');
revoke delete on arbiter.users from arbiter_app;

create table arbiter.api_keys (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  prefix text not null,
  -- HMAC-SHA256 of the key under API_KEY_PEPPER; the key itself is nowhere.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The person the key acts for (quality.md E3): a user id, or `system`.
  person text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint api_keys_key_hash unique (tenant_id, key_hash)
);
-- For the lookup before the tenant is known. Not unique: a broken unique index would tell of other tenants' keys.
create index api_keys_lookup on arbiter.api_keys (key_hash);
select arbiter.protect_table('arbiter.api_keys');
revoke delete on arbiter.api_keys from arbiter_app;
revoke select on arbiter.api_keys from arbiter_readonly;
select arbiter.open_to_system('arbiter.api_keys', 'select');

-- Apart from the key, so that noting a use never waits for a change of the key, nor a change for it (quality.md E23).
create table arbiter.api_key_uses (
  tenant_id uuid not null,
  api_key_id uuid not null,
  last_used_at timestamptz(3) not null,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references arbiter.api_keys (tenant_id, id)
);
select arbiter.protect_table('arbiter.api_key_uses');

-- Every node forgets a tenant's credentials when one changes, whoever changed it.
create function arbiter.notify_credentials() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('arbiter_credentials',
    case tg_table_name when 'tenants' then to_jsonb(old) ->> 'id' else to_jsonb(coalesce(new, old)) ->> 'tenant_id' end);
  return null;
end
$$;
create trigger api_keys_changed after insert or update or delete on arbiter.api_keys
  for each row execute function arbiter.notify_credentials();
create trigger tenants_gone after update of deleted_at or delete on arbiter.tenants
  for each row execute function arbiter.notify_credentials();

-- Rows are appended, never changed (quality.md T26). Milliseconds, because that is what the hash covers.
create table arbiter.audit_logs (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  sequence bigint not null check (sequence > 0),
  timestamp timestamptz(3) not null,
  user_id text not null,
  user_name text not null,
  request_id text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  entity_name text,
  entity_version integer,
  changes jsonb not null,
  before jsonb,
  after jsonb,
  prev_hash text not null check (prev_hash ~ '^[0-9a-f]{64}$'),
  integrity_hash text not null check (integrity_hash ~ '^[0-9a-f]{64}$'),
  primary key (tenant_id, id),
  constraint audit_logs_sequence unique (tenant_id, sequence)
);
create index audit_logs_entity on arbiter.audit_logs (tenant_id, entity_type, entity_id, sequence desc);
select arbiter.protect_table('arbiter.audit_logs', 'insert_only');

-- The end of each chain: locked by the writer, compared by the check.
create table arbiter.audit_heads (
  tenant_id uuid primary key references arbiter.tenants (id),
  sequence bigint not null check (sequence >= 0),
  hash text not null check (hash ~ '^[0-9a-f]{64}$')
);
select arbiter.protect_table('arbiter.audit_heads');
revoke delete on arbiter.audit_heads from arbiter_app;
