-- Accounts and sessions (docs/design/api-access.md 4.2, 5.2; docs/adr/0041-accounts-and-sessions.md).

-- Two columns, so that neither undoes the other: deactivation by an admin or a directory, and the lock after wrong
-- passwords, which is `locked_until` (docs/design/quality.md T11).
alter table arbiter.users
  -- Wrong passwords in a row.
  add column failed_logins integer not null default 0 check (failed_logins >= 0),
  -- True once the person has followed a link that was mailed to the address, or Google has vouched for it. A directory or a
  -- single sign-on of the tenant makes verified users whom this does not prove.
  add column address_proven boolean not null default false;

-- Sign-in finds people by their address, before the tenant is known.
create index users_email_lookup on arbiter.users (email_key);
grant select (email, email_key, role, source, email_verified_at, last_login_at, address_proven) on arbiter.users to arbiter_system;

-- Every node forgets the tenant's credentials when what a credential gives has changed; not for each sign-in or wrong
-- password, with which anybody could empty the nodes' memory.
drop trigger users_changed on arbiter.users;
create trigger users_changed after update of name, role, email, deactivated_at on arbiter.users
  for each row execute function arbiter.notify_credentials();

-- Apart from the person's record, so that what shows people cannot show it. Without a row: no password yet.
create table arbiter.user_passwords (
  tenant_id uuid not null,
  user_id uuid not null,
  -- Argon2id, in the PHC string format.
  password_hash text not null check (password_hash like '$argon2id$%'),
  changed_at timestamptz(3) not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
select arbiter.protect_table('arbiter.user_passwords');
revoke select on arbiter.user_passwords from arbiter_readonly;

create table arbiter.user_sessions (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  method text not null check (method in ('password', 'google', 'oidc', 'saml', 'link')),
  started_at timestamptz(3) not null,
  -- However often its cookie is renewed.
  ends_at timestamptz(3) not null,
  -- Signed out, or ended by a new password or a deactivation.
  ended_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
create index user_sessions_user on arbiter.user_sessions (tenant_id, user_id) where ended_at is null;
create index user_sessions_end on arbiter.user_sessions (ends_at);
select arbiter.protect_table('arbiter.user_sessions');
-- Sessions are proven before the tenant is known, and swept across tenants.
select arbiter.open_to_system('arbiter.user_sessions', 'select, delete');
create trigger user_sessions_ended after update of ended_at on arbiter.user_sessions
  for each row execute function arbiter.notify_credentials();

-- Links that were mailed or printed. The token itself is nowhere.
create table arbiter.user_tokens (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('verification', 'reset', 'invitation', 'sign_in')),
  -- Keyed hash over purpose and token.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  -- Of a verification: what was given with this registration. It counts once its own link was followed.
  given_name text,
  given_tenant_name text,
  password_hash text check (password_hash like '$argon2id$%'),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- Another link took its place, or the person was deactivated.
  voided_at timestamptz(3),
  primary key (tenant_id, id),
  constraint user_tokens_token_hash unique (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
-- For the lookup before the tenant is known.
create index user_tokens_lookup on arbiter.user_tokens (token_hash);
create index user_tokens_user on arbiter.user_tokens (tenant_id, user_id);
select arbiter.protect_table('arbiter.user_tokens');
revoke select on arbiter.user_tokens from arbiter_readonly;
create policy system_access on arbiter.user_tokens to arbiter_system using (true) with check (true);
grant select (tenant_id, id, user_id, purpose, token_hash, expires_at, used_at, voided_at), delete
  on arbiter.user_tokens to arbiter_system;

-- Which tenant a registration of an address is about to make: two of one address at once make one tenant, not two. Before
-- there is a tenant, so only the system role writes it; swept after a day.
create table arbiter.registration_claims (
  email_key text primary key,
  tenant_id uuid not null,
  claimed_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.registration_claims');
revoke all on arbiter.registration_claims from arbiter_app, arbiter_readonly;
select arbiter.open_to_system('arbiter.registration_claims', 'select, insert, update, delete');
