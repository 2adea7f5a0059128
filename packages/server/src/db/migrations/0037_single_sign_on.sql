-- Single sign-on and identities of other providers (docs/design/api-access.md 4.3, 22; docs/adr/0043-single-sign-on.md).

-- Who a person is elsewhere: the subject of an issuer, for SAML and OpenID Connect alike. Addresses change hands, subjects
-- do not (docs/design/quality.md T12).
create table arbiter.user_identities (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  issuer text not null check (length(issuer) between 1 and 2048),
  subject text not null check (length(subject) between 1 and 1024),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint user_identities_subject unique (tenant_id, issuer, subject),
  constraint user_identities_user unique (tenant_id, user_id, issuer),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
-- A sign-in with Google names no tenant.
create index user_identities_lookup on arbiter.user_identities (issuer, subject);
select arbiter.protect_table('arbiter.user_identities');
select arbiter.open_to_system('arbiter.user_identities', 'select');

create table arbiter.sso_configs (
  tenant_id uuid not null primary key references arbiter.tenants (id),
  provider text not null check (provider in ('oidc', 'saml', 'none')),
  enabled boolean not null check (not enabled or provider <> 'none'),
  saml_entity_id text,
  saml_sso_url text,
  saml_acs_url text,
  saml_allow_unsolicited boolean not null,
  oidc_issuer text,
  oidc_client_id text,
  oidc_scopes text not null,
  default_role text not null check (default_role in ('admin', 'editor', 'viewer')),
  allowed_domains text[] not null,
  auto_provision boolean not null,
  enforce_for_all_users boolean not null check (not enforce_for_all_users or enabled),
  updated_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.sso_configs');

-- Apart from the configuration, so that what reads it cannot show them. Sealed with DATA_ENCRYPTION_KEY.
create table arbiter.sso_secrets (
  tenant_id uuid not null,
  field text not null check (field in ('oidcClientSecret', 'samlCertificate')),
  sealed bytea not null,
  primary key (tenant_id, field),
  foreign key (tenant_id) references arbiter.sso_configs (tenant_id)
);
select arbiter.protect_table('arbiter.sso_secrets');
revoke select on arbiter.sso_secrets from arbiter_readonly;

-- Sign-ins that wait for the identity provider's answer. A row is taken away by the answer that names it.
create table arbiter.sso_states (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  provider text not null check (provider in ('oidc', 'saml')),
  -- SHA-256 of the nonce in `state`, or of the id of the SAML request.
  name_hash bytea not null check (octet_length(name_hash) = 32),
  -- SHA-256 of the cookie of the browser that began; null: bound to no browser, and opens no session.
  browser_hash bytea check (octet_length(browser_hash) = 32),
  opens_session boolean not null check (not opens_session or provider = 'saml' or browser_hash is not null),
  oidc_nonce text check ((oidc_nonce is null) = (provider = 'saml')),
  code_verifier text check ((code_verifier is null) = (provider = 'saml')),
  redirect_uri text check ((redirect_uri is null) = (provider = 'saml')),
  return_to text not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint sso_states_name unique (tenant_id, name_hash)
);
create index sso_states_expiry on arbiter.sso_states (tenant_id, expires_at);
select arbiter.protect_table('arbiter.sso_states');
revoke select on arbiter.sso_states from arbiter_readonly;

-- Assertions that were taken, until they would be refused for their age: each is taken once.
create table arbiter.sso_assertions (
  tenant_id uuid not null references arbiter.tenants (id),
  -- SHA-256 of issuer and id of the assertion.
  name_hash bytea not null check (octet_length(name_hash) = 32),
  expires_at timestamptz(3) not null,
  primary key (tenant_id, name_hash)
);
create index sso_assertions_expiry on arbiter.sso_assertions (tenant_id, expires_at);
select arbiter.protect_table('arbiter.sso_assertions');
revoke select on arbiter.sso_assertions from arbiter_readonly;
