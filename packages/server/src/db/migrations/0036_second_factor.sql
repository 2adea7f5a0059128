-- Second factor of people who sign in by password (docs/design/api-access.md 22).

create table arbiter.second_factors (
  tenant_id uuid not null,
  user_id uuid not null,
  -- The secret that the app shares, sealed with DATA_ENCRYPTION_KEY.
  sealed bytea not null,
  -- Step (30 seconds) of the last code that was used: that one and earlier ones are not taken again.
  last_step integer not null check (last_step >= 0),
  created_at timestamptz(3) not null,
  -- Null: begun, and not proven by a code yet; it asks for nothing.
  enabled_at timestamptz(3),
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
comment on table arbiter.second_factors is 'Secrets of authenticator apps, sealed.';
select arbiter.protect_table('arbiter.second_factors');
revoke select on arbiter.second_factors from arbiter_readonly;

-- Codes for who has lost the app, each until it is used.
create table arbiter.backup_codes (
  tenant_id uuid not null,
  user_id uuid not null,
  -- HMAC-SHA256 under the secret of the factor.
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (tenant_id, user_id, code_hash),
  foreign key (tenant_id, user_id) references arbiter.second_factors (tenant_id, user_id)
);
comment on table arbiter.backup_codes is 'Hashes of backup codes that were not used.';
select arbiter.protect_table('arbiter.backup_codes');
revoke select on arbiter.backup_codes from arbiter_readonly;

-- What the console remembers for a person (docs/design/api-settled.md "Access and console"). Kept as it came.
create table arbiter.user_preferences (
  tenant_id uuid not null,
  user_id uuid not null,
  value json not null check (json_typeof(value) = 'object'),
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
comment on table arbiter.user_preferences is 'What the console remembers for people.';
select arbiter.protect_table('arbiter.user_preferences');
