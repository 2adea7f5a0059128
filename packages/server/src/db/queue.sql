-- The doors into the job queue (docs/adr/0005). Run as arbiter_queue after graphile-worker's own migrations, at every
-- migration, so it must stay repeatable. Each function sees no more than its caller may: one tenant, from the setting, or
-- all of them for arbiter_system.

grant usage on schema graphile_worker to arbiter_app, arbiter_system;
drop function if exists graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, text, int, int);
drop function if exists graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, int);
drop function if exists graphile_worker.arbiter_put(text, text, jsonb, text, timestamptz, int, boolean);

-- For the doors below only. `job_key` is unique per tenant: a job that waits under the same key is replaced, or kept as
-- it is with `keep_waiting`. A job that is at work already is left alone in both cases, and another one put behind it.
-- `turn`: jobs of a smaller number are taken first, whenever they came.
create or replace function graphile_worker.arbiter_put(
  tenant text, task text, payload jsonb, job_key text, run_at timestamptz, most_attempts int, keep_waiting boolean,
  turn int
) returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  full_key text := coalesce(tenant, 'system') || ':' || job_key;
  job_id bigint;
begin
  if task is null or task !~ '^[a-z][a-z0-9_.-]{0,99}$' then
    raise exception 'not a task name';
  end if;
  if payload is null or jsonb_typeof(payload) <> 'object' then
    raise exception 'the payload of a job is an object';
  end if;
  if full_key is not null then
    if keep_waiting then
      select j.id into job_id from graphile_worker._private_jobs j where j.key = full_key and j.is_available;
      if job_id is not null then
        return job_id;
      end if;
    end if;
    -- The library would take the tries that are left from a job at work whose key comes again.
    update graphile_worker._private_jobs j set key = null where j.key = full_key and not j.is_available;
  end if;
  select j.id into job_id
    from graphile_worker.add_job(
      identifier => task,
      payload => (payload || jsonb_build_object('tenantId', tenant))::json,
      run_at => run_at,
      max_attempts => most_attempts,
      job_key => full_key,
      priority => turn
    ) j;
  return job_id;
end
$$;
revoke all on function graphile_worker.arbiter_put(text, text, jsonb, text, timestamptz, int, boolean, int) from public;

-- Puts a job into the queue in the caller's transaction. The tenant comes from the setting and stands in the payload as
-- "tenantId" (null for work across tenants); a payload cannot name another.
create or replace function graphile_worker.arbiter_enqueue(
  task text,
  payload jsonb default '{}',
  job_key text default null,
  run_at timestamptz default null,
  max_attempts int default 6,
  turn int default 0
) returns bigint
  language sql security definer
  set search_path = pg_catalog, pg_temp
as $$
  select graphile_worker.arbiter_put(
    nullif(current_setting('app.tenant', true), ''), task, payload, job_key, run_at, max_attempts, false, turn)
$$;
revoke all on function graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, int, int) from public;
grant execute on function graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, int, int)
  to arbiter_app, arbiter_system;

-- The same for any tenant (null: work across tenants): due schedules are found across tenants.
create or replace function graphile_worker.arbiter_enqueue_for(
  tenant uuid, task text, payload jsonb, job_key text, max_attempts int, keep_waiting boolean
) returns bigint
  language sql security definer
  set search_path = pg_catalog, pg_temp
as $$
  select graphile_worker.arbiter_put(tenant::text, task, payload, job_key, null, max_attempts, keep_waiting, 0)
$$;
revoke all on function graphile_worker.arbiter_enqueue_for(uuid, text, jsonb, text, int, boolean) from public;
grant execute on function graphile_worker.arbiter_enqueue_for(uuid, text, jsonb, text, int, boolean) to arbiter_system;

create index if not exists arbiter_dead on graphile_worker._private_jobs (id)
  where locked_at is null and attempts >= max_attempts;
create index if not exists arbiter_locked on graphile_worker._private_jobs (locked_at) where locked_at is not null;

-- Tenants (null: none) with jobs that used up their tries.
create or replace function graphile_worker.arbiter_dead_tenants() returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct (j.payload ->> 'tenantId')::uuid
    from graphile_worker._private_jobs j where j.locked_at is null and j.attempts >= j.max_attempts
$$;
revoke all on function graphile_worker.arbiter_dead_tenants() from public;
grant execute on function graphile_worker.arbiter_dead_tenants() to arbiter_system;

-- Tenants (null: none) with jobs that could have begun so long ago and that nothing has taken.
create or replace function graphile_worker.arbiter_waiting_tenants(since interval) returns setof uuid
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select distinct (j.payload ->> 'tenantId')::uuid
    from graphile_worker._private_jobs j
   where j.locked_at is null and j.attempts < j.max_attempts and j.run_at < now() - since
$$;
revoke all on function graphile_worker.arbiter_waiting_tenants(interval) from public;
grant execute on function graphile_worker.arbiter_waiting_tenants(interval) to arbiter_system;

-- Jobs of the transaction's tenant that used up their tries, the oldest first.
create or replace function graphile_worker.arbiter_dead(most int)
  returns table (job_id bigint, task text, payload jsonb)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select j.id, t.identifier, j.payload::jsonb
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
   where j.locked_at is null and j.attempts >= j.max_attempts
     and j.payload ->> 'tenantId' is not distinct from nullif(current_setting('app.tenant', true), '')
   order by j.id limit most
$$;
revoke all on function graphile_worker.arbiter_dead(int) from public;
grant execute on function graphile_worker.arbiter_dead(int) to arbiter_app, arbiter_system;

-- Takes those of them with these ids out of the queue: whoever takes them keeps them elsewhere in the same transaction.
create or replace function graphile_worker.arbiter_take_dead(ids bigint[])
  returns table (job_id bigint, task text, payload jsonb, tries int, error text)
  language sql security definer
  set search_path = pg_catalog, pg_temp
as $$
  with dead as (
    select j.id from graphile_worker._private_jobs j
     where j.locked_at is null and j.attempts >= j.max_attempts and j.id = any (ids)
       and j.payload ->> 'tenantId' is not distinct from nullif(current_setting('app.tenant', true), '')
     order by j.id for update skip locked),
  gone as (
    delete from graphile_worker._private_jobs j using dead where j.id = dead.id
    returning j.id, j.task_id, j.payload, j.attempts, j.last_error)
  select g.id, t.identifier, g.payload::jsonb, g.attempts::int, g.last_error
    from gone g join graphile_worker._private_tasks t on t.id = g.task_id order by g.id
$$;
revoke all on function graphile_worker.arbiter_take_dead(bigint[]) from public;
grant execute on function graphile_worker.arbiter_take_dead(bigint[]) to arbiter_app, arbiter_system;

-- Gives back jobs that workers took longer ago than `since` which are not among those `alive`. Returns how many.
create or replace function graphile_worker.arbiter_hand_back(alive text[], since interval) returns int
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  freed int;
begin
  update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
   where q.locked_at < now() - since and q.locked_by <> all (alive);
  update graphile_worker._private_jobs j set locked_at = null, locked_by = null
   where j.locked_at < now() - since and j.locked_by <> all (alive);
  get diagnostics freed = row_count;
  if freed > 0 then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', freed)::text);
  end if;
  return freed;
end
$$;
revoke all on function graphile_worker.arbiter_hand_back(text[], interval) from public;
grant execute on function graphile_worker.arbiter_hand_back(text[], interval) to arbiter_system;

-- When a try has failed, the next one comes after 5 s, 30 s, 2 min, 10 min, 1 h (docs/design/api-access.md 9, 15), a fifth more or
-- less, so that what failed together does not come back together. A try that the end of its process cut off does not
-- count, and the job waits for nothing; worker.ts writes that text. Where the other side asked for more time, and the error
-- says so at its end, that is given, up to an hour. A run that was postponed (postponed.ts) counts as no try either.
create or replace function graphile_worker.arbiter_space_tries() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  pauses constant int[] := '{5,30,120,600,3600}';
begin
  if new.last_error = 'the process stopped before the job ended' then
    new.attempts := greatest(0, old.attempts - 1);
    new.run_at := old.run_at;
    new.last_error := old.last_error;
  elsif new.last_error ~ '^postponed; again after \d{1,4} s$' then
    new.attempts := greatest(0, old.attempts - 1);
    new.run_at := now() + make_interval(secs => least(3600, substring(new.last_error from '\d+')::int));
    new.last_error := old.last_error;
  else
    new.run_at := now() + make_interval(secs => greatest(
      pauses[least(5, greatest(1, new.attempts))] * (0.8 + 0.4 * random()),
      least(3600, coalesce(substring(new.last_error from 'retry after (\d{1,6}) s$')::int, 0))));
  end if;
  return new;
end
$$;
-- A failure moves run_at, which an unlocking does not.
create or replace trigger arbiter_space_tries before update on graphile_worker._private_jobs for each row
  when (old.locked_at is not null and new.locked_at is null and new.run_at is distinct from old.run_at)
  execute function graphile_worker.arbiter_space_tries();
revoke all on function graphile_worker.arbiter_space_tries() from public;

-- How many jobs of each task wait or run, for metrics. A job that has used up its tries is neither.
create or replace function graphile_worker.arbiter_queue_depth() returns table (task text, jobs bigint)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select t.identifier, count(*)
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
   where j.attempts < j.max_attempts
   group by t.identifier
$$;
revoke all on function graphile_worker.arbiter_queue_depth() from public;
grant execute on function graphile_worker.arbiter_queue_depth() to arbiter_system;

-- How many jobs of the transaction's tenant wait or run. A job that has used up its tries is neither.
create or replace function graphile_worker.arbiter_waiting() returns bigint
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select count(*) from graphile_worker._private_jobs j
   where j.payload ->> 'tenantId' = nullif(current_setting('app.tenant', true), '') and j.attempts < j.max_attempts
$$;
revoke all on function graphile_worker.arbiter_waiting() from public;
grant execute on function graphile_worker.arbiter_waiting() to arbiter_app;

-- Takes a job of the transaction's tenant that waits under this key out of the queue. One at work stays.
create or replace function graphile_worker.arbiter_drop(job_key text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if nullif(current_setting('app.tenant', true), '') is null then
    raise exception 'no tenant';
  end if;
  delete from graphile_worker._private_jobs j where j.key = current_setting('app.tenant') || ':' || job_key and j.is_available;
end
$$;
revoke all on function graphile_worker.arbiter_drop(text) from public;
grant execute on function graphile_worker.arbiter_drop(text) to arbiter_app;

-- Takes the jobs of the transaction's tenant out of the queue but for those of the tasks that are `kept`. Jobs that are at work
-- go too: they find nothing to do, and a try that fails is the last. Returns how many went.
create or replace function graphile_worker.arbiter_forget(kept text[]) returns int
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  gone int;
begin
  if nullif(current_setting('app.tenant', true), '') is null then
    raise exception 'no tenant';
  end if;
  delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
   where j.payload ->> 'tenantId' = current_setting('app.tenant') and t.id = j.task_id and t.identifier <> all (kept);
  get diagnostics gone = row_count;
  return gone;
end
$$;
revoke all on function graphile_worker.arbiter_forget(text[]) from public;
grant execute on function graphile_worker.arbiter_forget(text[]) to arbiter_app;
