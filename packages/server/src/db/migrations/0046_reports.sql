-- Reports (contract part 1, 4.10; docs/design/api-access.md 11, 22): templates, schedules, and what was made of them.

create table arbiter.report_templates (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 120),
  description text,
  data_sources jsonb not null check (jsonb_typeof(data_sources) = 'array'),
  sections jsonb not null check (jsonb_typeof(sections) = 'array'),
  formats text[] not null check (formats <@ array['pdf', 'csv', 'markdown', 'html'] and cardinality(formats) between 1 and 4),
  narrative jsonb not null check (jsonb_typeof(narrative) = 'object'),
  -- Where runs go when nobody says otherwise. No foreign key: a destination that is deleted meanwhile is told as a failure.
  destinations uuid[] not null,
  enabled boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.report_templates is 'What reports show.';
select arbiter.protect_table('arbiter.report_templates');

create table arbiter.report_schedules (
  tenant_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  name text not null check (length(name) between 1 and 120),
  cron_expression text not null,
  timezone text not null,
  destinations uuid[] not null,
  enabled boolean not null,
  -- Null while the schedule is off.
  next_run_at timestamptz(3) check ((next_run_at is not null) = enabled),
  last_run_at timestamptz(3),
  last_run_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references arbiter.report_templates (tenant_id, id)
);
comment on table arbiter.report_schedules is 'When reports are made by themselves.';
create index report_schedules_template on arbiter.report_schedules (tenant_id, template_id);
create index report_schedules_due on arbiter.report_schedules (next_run_at) where enabled;
select arbiter.protect_table('arbiter.report_schedules');
-- What is due is looked for over all tenants at once, every minute.
select arbiter.open_to_system('arbiter.report_schedules', 'select');

create table arbiter.report_runs (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  -- No foreign keys: a run outlives its template and its schedule.
  template_id uuid not null,
  template_name text not null,
  schedule_id uuid,
  status text not null check (status in ('running', 'completed', 'completed_with_errors', 'failed')),
  triggered_by text not null,
  formats text[] not null,
  destinations uuid[] not null,
  started_at timestamptz(3) not null,
  -- When a process began to write it; null while it waits in the queue.
  begun_at timestamptz(3),
  completed_at timestamptz(3),
  duration_ms integer check (duration_ms >= 0),
  error text,
  delivery_results jsonb not null check (jsonb_typeof(delivery_results) = 'array'),
  sections_data jsonb not null check (jsonb_typeof(sections_data) = 'array'),
  narrative_output jsonb,
  primary key (tenant_id, id),
  check ((status = 'running') = (completed_at is null)),
  check ((status = 'failed') = (error is not null))
);
comment on table arbiter.report_runs is 'Reports that were made, with their figures.';
create index report_runs_template on arbiter.report_runs (tenant_id, template_id, id);
select arbiter.protect_table('arbiter.report_runs');

-- One row for each run that is running. Who finds it after its time gives the run up: its process is gone.
create table arbiter.report_leases (
  tenant_id uuid not null,
  run_id uuid not null,
  alive_until timestamptz(3) not null,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references arbiter.report_runs (tenant_id, id) on delete cascade
);
comment on table arbiter.report_leases is 'Until when runs of reports have to be done.';
create index report_leases_end on arbiter.report_leases (alive_until);
select arbiter.protect_table('arbiter.report_leases');
select arbiter.open_to_system('arbiter.report_leases', 'select');

-- The files of a run, apart from it: lists of runs read none of them.
create table arbiter.report_artifacts (
  tenant_id uuid not null,
  run_id uuid not null,
  format text not null check (format in ('pdf', 'csv', 'markdown', 'html')),
  mime_type text not null,
  file_name text not null,
  bytes integer not null check (bytes >= 0),
  content bytea not null check (octet_length(content) = bytes),
  primary key (tenant_id, run_id, format),
  foreign key (tenant_id, run_id) references arbiter.report_runs (tenant_id, id) on delete cascade
);
-- Files are compressed already, or small.
alter table arbiter.report_artifacts alter column content set storage external;
comment on table arbiter.report_artifacts is 'Files of reports.';
select arbiter.protect_table('arbiter.report_artifacts');
