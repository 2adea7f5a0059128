-- What differs on a Citus cluster (docs/adr/0120-distribute-every-table-by-tenant-on-citus.md). Run as arbiter_owner on the
-- coordinator at every migration, so it must stay repeatable. Citus copies the functions to the workers.

-- Citus rejects subqueries in policies.
create or replace function arbiter.isolation_condition(tenant_column name) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select format('%I = nullif(current_setting(''app.tenant'', true), '''')::uuid', tenant_column)
$$;

-- Puts the table's rows next to the other rows of their tenants.
create or replace function arbiter.distribute_table(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set citus.enable_unsafe_triggers = on
  set citus.multi_shard_modify_mode = 'sequential'
as $$
begin
  perform create_distributed_table(target, 'tenant_id', colocate_with => 'arbiter.tenants');
end
$$;

-- The shard of another table that holds the rows of the same tenants as the given shard. Triggers run on shards, where the names of
-- distributed tables can't be used in statements with transition tables.
create or replace function arbiter.shard_beside(shard name, other regclass) returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select shard_name(other, b.shardid)
    from pg_dist_shard a join pg_dist_shard b on b.shardminvalue = a.shardminvalue
   where a.shardid = substring(shard from '\d+$')::bigint and b.logicalrelid = other
$$;
grant execute on function arbiter.shard_beside(name, regclass) to arbiter_app, arbiter_system;

-- As in the baseline. The number rises with the clock, because each worker has sequences of its own.
create or replace function arbiter.keep_record_versions() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  id_column text := tg_argv[1];
  omitted text[] := array_append(tg_argv[3]::text[], 'tenant_id');
  versions text := arbiter.shard_beside(tg_table_name, 'arbiter.record_versions');
  source text := case tg_op
    when 'INSERT' then 'select changed.tenant_id, to_jsonb(changed) as body from changed'
    when 'DELETE' then 'select gone.tenant_id, to_jsonb(gone) as body from gone'
    -- A row whose versioned columns are unchanged gets no new version.
    else 'select n.tenant_id, n.body from (select changed.tenant_id, to_jsonb(changed) as body from changed) n
            left join (select gone.tenant_id, to_jsonb(gone) as body from gone) o
              on o.tenant_id = n.tenant_id and o.body ->> $2 = n.body ->> $2
           where o.body is null or o.body - $4 <> n.body - $4'
  end;
begin
  execute format(
    'insert into %1$s (tenant_id, entity_type, entity_id, number, version, body, deleted)
     select n.tenant_id, $1, (n.body ->> $2)::uuid,
            greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint,
              (select max(v.number) + 1 from %1$s v
                where v.tenant_id = n.tenant_id and v.entity_type = $1 and v.entity_id = (n.body ->> $2)::uuid)),
            (n.body ->> $3)::int + %3$s, n.body - $4, %4$s
       from (%2$s) n',
    versions, source,
    case tg_op when 'DELETE' then '1' else '0' end,
    case tg_op when 'DELETE' then 'true' else 'n.body ->> ''deleted_at'' is not null' end)
  using tg_argv[0], id_column, tg_argv[2], omitted;
  return null;
end
$$;

create or replace function arbiter.close_record_version() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  is_open boolean;
  raised record;
begin
  execute format(
    'select exists (select from arbiter.%I r where r.tenant_id = $1 and r.entity_type = $2 and r.entity_id = $3
                       and r.number = $4 and r.config_version is null)', tg_table_name)
    into is_open using new.tenant_id, new.entity_type, new.entity_id, new.number;
  if not is_open then
    return null;
  end if;
  execute format(
    'insert into %s as c (tenant_id, version, updated_at) values ($1, 1, clock_timestamp())
     on conflict (tenant_id) do update
       set version = c.version + 1, updated_at = greatest(c.updated_at + interval ''1 microsecond'', clock_timestamp())
     returning c.version, c.updated_at', arbiter.shard_beside(tg_table_name, 'arbiter.catalogue_versions'))
    into raised using new.tenant_id;
  execute format(
    'insert into %s (tenant_id, config_version, committed_at, actor) values ($1, $2, $3, $4)',
    arbiter.shard_beside(tg_table_name, 'arbiter.catalogue_log'))
    using new.tenant_id, raised.version, raised.updated_at, 'database:' || current_user;
  execute format(
    'update arbiter.%I set config_version = $2 where tenant_id = $1 and config_version is null', tg_table_name)
    using new.tenant_id, raised.version;
  perform pg_notify('arbiter_catalogue', new.tenant_id::text);
  return null;
end
$$;

create or replace function arbiter.note_late_history() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('insert into %s (tenant_id, row_id) values ($1, $2) on conflict do nothing',
    arbiter.shard_beside(tg_table_name, 'arbiter.export_late_rows')) using new.tenant_id, new.id;
  return null;
end
$$;

-- As in the baseline. Citus evaluates no function of a column in an upsert.
create or replace function arbiter.raise_catalogue_version(tenant uuid, actor text) returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  raised bigint;
  instant timestamptz := clock_timestamp();
  changed text;
begin
  insert into arbiter.catalogue_versions as c (tenant_id, version, updated_at) values (tenant, 1, instant)
  on conflict (tenant_id) do update set version = c.version + 1 returning c.version into raised;
  if raised > 1 then
    -- The row is locked from here on.
    instant := greatest(clock_timestamp(),
      (select c.updated_at from arbiter.catalogue_versions c where c.tenant_id = tenant) + interval '1 microsecond');
    update arbiter.catalogue_versions set updated_at = instant where tenant_id = tenant;
  end if;
  insert into arbiter.catalogue_log (tenant_id, config_version, committed_at, actor) values (tenant, raised, instant, actor);
  for changed in
    with latest as (
      select distinct on (r.entity_type, r.entity_id) r.entity_type, r.entity_id, r.version, r.number
        from arbiter.record_versions r where r.tenant_id = tenant and r.config_version is null
       order by r.entity_type, r.entity_id, r.number desc),
    numbered as (select *, (row_number() over (order by number) - 1) / 500 as part from latest)
    select json_agg(json_build_object(
             'id', gen_random_uuid(), 'type', 'catalogue.changed.v1', 'tenantId', tenant,
             'timestamp', to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'payload', json_build_object('entityType', entity_type, 'id', entity_id, 'version', version))
             order by number)::text
      from numbered group by part order by part
  loop
    insert into arbiter.outbox (tenant_id, events, created_at) values (tenant, changed, instant);
  end loop;
  update arbiter.record_versions set config_version = raised where tenant_id = tenant and config_version is null;
  perform pg_notify('arbiter_catalogue', tenant::text);
  return raised;
end
$$;

-- Sets the tenant of a transaction on every node, where row-level security of the shards reads it. Citus repeats `set local` on
-- the workers, but no set_config, and the whole text when statements share one. The planner of decisions has settings of its own
-- (hot-transaction.ts).
create or replace function arbiter.enter_tenant(tenant uuid, for_decisions boolean) returns void
  language plpgsql
as $$
begin
  perform set_config('citus.propagate_set_commands', 'local', true);
  execute format('set local app.tenant = %L', tenant);
  -- Tests reject statements that would run on more than one worker.
  if current_setting('arbiter.one_worker', true) = 'on' then
    perform set_config('citus.multi_task_query_log_level', 'error', true);
  end if;
  if for_decisions then
    set local enable_seqscan = off;
    set local enable_hashjoin = off;
    set local enable_mergejoin = off;
    set local jit = off;
  end if;
end
$$;
grant execute on function arbiter.enter_tenant(uuid, boolean) to arbiter_app;

-- A random UUID for each row. Citus refuses volatile functions in updates, so this one claims to be immutable, and takes a column,
-- because the coordinator would call it once for all rows otherwise.
create or replace function arbiter.random_uuid(any_column anyelement) returns uuid
  language plpgsql immutable
as $$
begin
  return gen_random_uuid();
end
$$;
grant execute on function arbiter.random_uuid(anyelement) to arbiter_app;

-- Citus 13.2 crashes on a subscript of an array in an update. PostgreSQL would inline a function in SQL and subscript again.
create or replace function arbiter.array_item(list anyarray, place int) returns anyelement
  language plpgsql immutable parallel safe
as $$
begin
  return list[place];
end
$$;
grant execute on function arbiter.array_item(anyarray, int) to arbiter_app, arbiter_system;

-- The shard of a table with the rows of the transaction's tenant. Works on the worker that has it.
create or replace function arbiter.own_shard(target regclass) returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select shard_name(target, get_shard_id_for_distribution_column(target, nullif(current_setting('app.tenant', true), '')::uuid))
$$;

-- Ends a transaction if this worker doesn't have the tenant's rows, as a server remembers, by the shard of its decisions. In PL/pgSQL,
-- which keeps its plan.
create or replace function arbiter.assert_home(tenant uuid, shard bigint) returns void
  language plpgsql
as $$
begin
  if pg_catalog.get_shard_id_for_distribution_column('arbiter.decisions', tenant) <> shard
     or not exists (select from pg_catalog.pg_dist_placement p where p.shardid = shard
                      and p.groupid = (select l.groupid from pg_catalog.pg_dist_local_group l)) then
    raise exception 'the tenant has moved' using errcode = 'cannot_connect_now';
  end if;
end
$$;
grant execute on function arbiter.assert_home(uuid, bigint) to arbiter_app;

-- Numbers for new rows of a data table without a primary key, from the coordinator.
create or replace function arbiter.ds_take_ids(target regclass, most int) returns bigint[]
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from pg_class c where c.oid = target and c.relnamespace = arbiter.ds_schema()::regnamespace) then
    raise exception 'no such table of this tenant' using errcode = 'undefined_table';
  end if;
  return array(select nextval(pg_get_serial_sequence(target::text, 'id')) from generate_series(1, most));
end
$$;
revoke all on function arbiter.ds_take_ids(regclass, int) from public;
grant execute on function arbiter.ds_take_ids(regclass, int) to arbiter_app;

-- As in the baseline, on the worker. From the coordinator, the owner would wait for what the same transaction did as the
-- application.
create or replace function arbiter.cut_audit_logs(cut_before timestamptz, most int)
  returns table (rows bigint, sequence bigint, hash text)
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
  latest timestamptz := least(cut_before, clock_timestamp() - interval '1 day');
  logs text := arbiter.own_shard('arbiter.audit_logs');
  heads text := arbiter.own_shard('arbiter.audit_heads');
  newest bigint;
  upto bigint;
  gone bigint;
  last_hash text;
begin
  if most is null or most < 1 or most > 1000000 then
    raise exception 'refused number of rows: %', most;
  end if;
  -- The writer of the chain holds this row, too.
  execute format('select h.sequence from %s h where h.tenant_id = $1 for update', heads) into newest using tenant;
  execute format(
    'select max(kept.sequence)
       from (select a.sequence, bool_and(a.timestamp < $2) over (order by a.sequence) as old
               from (select l.sequence, l.timestamp from %s l
                      where l.tenant_id = $1 order by l.sequence limit $3) a) kept
      where kept.old and kept.sequence < $4', logs) into upto using tenant, latest, most, newest;
  if upto is null then
    return;
  end if;
  execute format('select l.integrity_hash from %s l where l.tenant_id = $1 and l.sequence = $2', logs)
    into last_hash using tenant, upto;
  execute format('delete from %s l where l.tenant_id = $1 and l.sequence <= $2', logs) using tenant, upto;
  get diagnostics gone = row_count;
  return query select gone, upto, last_hash;
end
$$;

create or replace function arbiter.empty_history(target text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
  is_open boolean;
begin
  execute format('select exists (select from %s t where t.id = $1 and t.is_playground and t.deleted_at is null)',
    arbiter.own_shard('arbiter.tenants')) into is_open using tenant;
  if is_open is not true then
    raise exception 'no playground';
  end if;
  case target
    when 'content_versions', 'flow_versions' then
      execute format('delete from %s where tenant_id = $1', arbiter.own_shard(('arbiter.' || target)::regclass)) using tenant;
    when 'record_versions' then
      execute format(
        'delete from %s r
          where r.tenant_id = $1 and r.entity_type <> ''tenantSettings''
            and not (r.entity_type = ''outcomeType'' and exists (
              select from %s o where o.tenant_id = $1 and o.id = r.entity_id))',
        arbiter.own_shard('arbiter.record_versions'), arbiter.own_shard('arbiter.outcome_types')) using tenant;
    else raise exception 'refused table';
  end case;
end
$$;

-- The transaction sends its own notifications (db/cluster/announcements.ts): nobody listens on workers, where triggers run.
create or replace function arbiter.notify_credentials() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

create or replace function arbiter.notify_stream() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;
