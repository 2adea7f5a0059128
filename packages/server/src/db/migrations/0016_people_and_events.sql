-- People (docs/design/api-access.md 5.2): what a user record shows, and keys that act for a person (docs/design/api-settled.md 6).
alter table arbiter.users
  add column image text,
  -- Id of the person in the directory that provisions them.
  add column external_id text,
  add column last_login_at timestamptz(3),
  -- Until then no password is taken.
  add column locked_until timestamptz(3);

-- A key is proven before its tenant is known, and with it the person it acts for: by name, unless deactivated.
create policy system_access on arbiter.users for select to arbiter_system using (true);
grant select (tenant_id, id, name, deactivated_at) on arbiter.users to arbiter_system;

-- A person who is renamed or deactivated: every node forgets the tenant's credentials, as for a change of a key.
create trigger users_changed after update on arbiter.users
  for each row execute function arbiter.notify_credentials();

-- Open streams of events (docs/adr/0027-one-address-for-events.md): every node learns that a tenant's stream has grown.
create function arbiter.notify_stream() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('arbiter_stream', new.tenant_id::text);
  return null;
end
$$;
create trigger stream_grown after insert or update on arbiter.stream_heads
  for each row execute function arbiter.notify_stream();
