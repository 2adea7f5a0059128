-- The one way into the job queue (architecture.md 5). Run as arbiter_queue after graphile-worker's own migrations, at
-- every migration, so it must stay repeatable.
--
-- Puts a job into the queue in the caller's transaction. The tenant comes from the setting and stands in the payload as
-- "tenantId" (null for work across tenants); a payload cannot name another. `job_key` is unique per tenant: a job that
-- waits under the same key is replaced.
create or replace function graphile_worker.arbiter_enqueue(
  task text,
  payload jsonb default '{}',
  job_key text default null,
  run_at timestamptz default null,
  queue_name text default null,
  priority int default 0,
  max_attempts int default 6
) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant text := nullif(current_setting('app.tenant', true), '');
  job_id bigint;
begin
  if task is null or task !~ '^[a-z][a-z0-9_.-]{0,99}$' then
    raise exception 'not a task name';
  end if;
  if payload is null or jsonb_typeof(payload) <> 'object' then
    raise exception 'the payload of a job is an object';
  end if;
  select j.id into job_id
    from graphile_worker.add_job(
      identifier => task,
      payload => (payload || jsonb_build_object('tenantId', tenant))::json,
      queue_name => queue_name,
      run_at => run_at,
      max_attempts => max_attempts,
      job_key => coalesce(tenant, 'system') || ':' || job_key,
      priority => priority
    ) j;
  return job_id;
end
$$;
revoke all on function graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, text, int, int) from public;
grant execute on function graphile_worker.arbiter_enqueue(text, jsonb, text, timestamptz, text, int, int)
  to arbiter_app, arbiter_system;
grant usage on schema graphile_worker to arbiter_app, arbiter_system;

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
