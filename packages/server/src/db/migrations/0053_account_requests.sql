-- Registrations and requests for mailed links, as they were sent (docs/adr/0069-account-requests-are-answered-later.md). The
-- call stores one and is answered, whoever has the address; a job looks the address up and deletes the row.
create table arbiter.account_requests (
  -- A new id, under which the row is sealed: whose tenant it is about is not looked up yet.
  tenant_id uuid not null,
  id uuid not null,
  -- Address, name, and hash of the password, sealed with DATA_ENCRYPTION_KEY.
  sealed bytea not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.account_requests is 'Registrations and requests for links that wait for their job, sealed.';
create index account_requests_created on arbiter.account_requests (created_at);
select arbiter.protect_table('arbiter.account_requests');
revoke all on arbiter.account_requests from arbiter_app, arbiter_readonly;
select arbiter.open_to_system('arbiter.account_requests', 'select, insert, delete');
