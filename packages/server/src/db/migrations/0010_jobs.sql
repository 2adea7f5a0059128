-- The job machinery: leases that one process of several holds, schedules, and the jobs that used up their tries.
-- What belongs to no tenant stands under the nil UUID, which no tenant transaction can see.

-- Who does what only one process may do. A holder renews its lease; one that stopped loses it when it runs out, by the
-- database's clock. Each new holder gets a higher token, by which a former one is known.
create table arbiter.leases (
  tenant_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  holder text not null check (char_length(holder) between 1 and 200),
  token bigint not null,
  expires_at timestamptz not null,
  primary key (tenant_id, name)
);
comment on table arbiter.leases is 'Who may do what only one process may do, and until when.';
select arbiter.isolate_table('arbiter.leases');
revoke all on arbiter.leases from public;
select arbiter.open_to_system('arbiter.leases', 'select, insert, update, delete');

-- When jobs are due. Whoever moves next_run_at on has claimed that run, and puts its job into the queue in the same
-- transaction. key: the record that the schedule belongs to; empty for a schedule that the job itself declares.
create table arbiter.schedules (
  tenant_id uuid not null,
  job text not null check (char_length(job) between 1 and 100),
  key text not null check (char_length(key) <= 100),
  payload jsonb not null,
  cron text not null,
  zone text not null,
  -- Null: switched off.
  next_run_at timestamptz,
  last_run_at timestamptz,
  primary key (tenant_id, job, key)
);
comment on table arbiter.schedules is 'When jobs are due; a run is claimed by moving next_run_at on.';
create index schedules_due on arbiter.schedules (next_run_at);
select arbiter.protect_table('arbiter.schedules');
select arbiter.open_to_system('arbiter.schedules', 'select, insert, update');

-- Jobs that used up their tries (contract part 1, dead-letter event). Kept 30 days.
create table arbiter.dead_letters (
  tenant_id uuid not null,
  id uuid not null,
  topic text not null,
  -- Ids only, as in the queue.
  payload jsonb not null,
  error text not null,
  -- Tries made, over all retries by hand.
  retry_count integer not null check (retry_count >= 0),
  failed_at timestamptz not null,
  primary key (tenant_id, id)
);
comment on table arbiter.dead_letters is 'Jobs that used up their tries.';
create index dead_letters_topic on arbiter.dead_letters (tenant_id, topic, id);
create index dead_letters_age on arbiter.dead_letters (failed_at);
select arbiter.protect_table('arbiter.dead_letters');
select arbiter.open_to_system('arbiter.dead_letters', 'select, insert, update, delete');
