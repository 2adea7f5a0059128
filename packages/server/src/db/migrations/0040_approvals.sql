-- Requests to change governed records (contract part 1, 4.11; docs/design/api-access.md 8, 22).

create table arbiter.approvals (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  entity_type text not null check (length(entity_type) between 1 and 100),
  entity_id text not null check (length(entity_id) between 1 and 255),
  entity_name text not null check (length(entity_name) between 1 and 255),
  action text not null check (action in ('create', 'update', 'delete')),
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired')),
  -- A person: user id, `system`, `oauth:<id>`.
  requester_id text not null,
  requester_name text not null,
  -- With bullets for secrets; null: there was none.
  payload jsonb,
  payload_bytes integer not null check (payload_bytes >= 0),
  -- JSON Pointers of what is hidden in the payload.
  hidden_paths text[] not null,
  approver_id text,
  approver_name text,
  comments text,
  applied_entity_id text,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  primary key (tenant_id, id),
  check ((status = 'pending') = (resolved_at is null)),
  check (applied_entity_id is null or status = 'approved')
);
comment on table arbiter.approvals is 'Requests to change governed records.';
create index approvals_status on arbiter.approvals (tenant_id, status, id);
create index approvals_pending on arbiter.approvals (tenant_id, created_at) where status = 'pending';
select arbiter.protect_table('arbiter.approvals');

create table arbiter.approval_stages (
  tenant_id uuid not null,
  approval_id uuid not null,
  ordinal smallint not null check (ordinal between 1 and 10),
  id uuid not null,
  stage_name text not null check (length(stage_name) between 1 and 120),
  required_role text not null check (required_role in ('viewer', 'editor', 'admin')),
  status text not null check (status in ('pending', 'approved', 'rejected')),
  decided_by text,
  decided_by_name text,
  comments text,
  decided_at timestamptz(3),
  primary key (tenant_id, approval_id, ordinal),
  check ((status = 'pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  foreign key (tenant_id, approval_id) references arbiter.approvals (tenant_id, id)
);
comment on table arbiter.approval_stages is 'Who decides a request, one after the other.';
select arbiter.protect_table('arbiter.approval_stages');

-- Payloads that hold secrets, whole, sealed with DATA_ENCRYPTION_KEY. A row goes when its request comes to an end.
create table arbiter.approval_secrets (
  tenant_id uuid not null,
  approval_id uuid not null,
  sealed bytea not null,
  primary key (tenant_id, approval_id),
  foreign key (tenant_id, approval_id) references arbiter.approvals (tenant_id, id)
);
select arbiter.protect_table('arbiter.approval_secrets');
revoke select on arbiter.approval_secrets from arbiter_readonly;

alter table arbiter.mails drop constraint mails_kind_check;
alter table arbiter.mails add constraint mails_kind_check check (kind in
  ('verification', 'registration_known', 'reset', 'invitation', 'locked', 'welcome', 'second_factor',
   'approval_requested', 'approval_resolved'));
