-- OAuth clients (docs/design/api-access.md 4.1).

create table arbiter.oauth_clients (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  -- `kci_` and 16 random bytes as hex; the caller's name of itself, no secret.
  client_id text not null,
  -- HMAC-SHA256 of the secret under API_KEY_PEPPER.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  -- The person the client acts for (docs/design/quality.md E3): a user id, or `system`.
  person text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  primary key (tenant_id, id),
  constraint oauth_clients_client_id unique (tenant_id, client_id)
);
-- For the lookup before the tenant is known. Not unique: a broken unique index would tell of other tenants' clients.
create index oauth_clients_lookup on arbiter.oauth_clients (client_id);
select arbiter.protect_table('arbiter.oauth_clients');
revoke delete on arbiter.oauth_clients from arbiter_app;
revoke select on arbiter.oauth_clients from arbiter_readonly;
select arbiter.open_to_system('arbiter.oauth_clients', 'select');
