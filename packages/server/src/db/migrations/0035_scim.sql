-- Users that a directory provisions (docs/design/api-access.md 4.4 and 22).
alter table arbiter.users
  -- What the directory said of the person, as SCIM attributes; userName, displayName, externalId and active have columns of
  -- their own (email, name, external_id, deactivated_at).
  add column attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
  -- Where mail goes when that is not `email`: the name of a provisioned account need not be an address.
  add column mail_address text;

-- How a directory finds a person again.
create index users_external_id on arbiter.users (tenant_id, lower(external_id)) where external_id is not null;
