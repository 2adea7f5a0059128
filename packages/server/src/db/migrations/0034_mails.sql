-- Mails that wait to be sent (docs/adr/0042-mail.md). Address, names and links are sealed with DATA_ENCRYPTION_KEY; the job
-- knows the id alone. A row goes when its mail was sent, or when nobody has use for it any more.

create table arbiter.mails (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null check (kind in
    ('verification', 'registration_known', 'reset', 'invitation', 'locked', 'welcome', 'second_factor')),
  sealed bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null check (expires_at > created_at),
  primary key (tenant_id, id)
);
comment on table arbiter.mails is 'Mails that wait to be sent, sealed.';
create index mails_expiry on arbiter.mails (tenant_id, expires_at);
select arbiter.protect_table('arbiter.mails');
revoke select on arbiter.mails from arbiter_readonly;
