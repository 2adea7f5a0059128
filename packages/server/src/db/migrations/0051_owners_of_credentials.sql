-- A credential that changes hands (docs/adr/0068-a-credential-does-what-its-owner-may.md): who held it before still knows
-- its secret, so the four-eyes rule counts them too.
alter table arbiter.api_keys add column earlier_people text[] not null default '{}';
alter table arbiter.oauth_clients add column earlier_people text[] not null default '{}';
comment on column arbiter.api_keys.person is 'The owner, whose role limits the key: a user id, or `system`.';
comment on column arbiter.oauth_clients.person is 'The owner, whose role limits the client: a user id, or `system`.';

-- Credentials of one person, listed before that person is deactivated.
create index api_keys_person on arbiter.api_keys (tenant_id, person) where revoked_at is null;
create index oauth_clients_person on arbiter.oauth_clients (tenant_id, person) where revoked_at is null;

-- Tokens that are proven stay in memory, with what their owner may do. A revocation needs no message: issued tokens keep
-- working until they expire (contract part 1, section 3).
create trigger oauth_clients_changed after update of person on arbiter.oauth_clients
  for each row execute function arbiter.notify_credentials();
