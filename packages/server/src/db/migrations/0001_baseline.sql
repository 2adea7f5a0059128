-- The schema of Arbiter, ordered by subject: rights, tenants, people, audit, requests, data schemas, segments, catalogue,
-- flows, customers, decisions, history, learning, export, notifications, reports.
--
-- Until the tag 1.0 this file may be rewritten in place. From the tag on it is frozen, and every change is a new migration
-- (docs/guides/migrations.md).

-- =====================================================================================================================
-- Rights, row-level security and partitions
-- =====================================================================================================================

-- Every migration runs as arbiter_owner, which isn't a superuser: forced row-level security applies to it too, and so to
-- every SECURITY DEFINER function.
comment on schema arbiter is 'All tables of Arbiter but the tenants'' own (schemas t_<tenant id>) and the job queue.';

grant usage on schema arbiter to arbiter_app, arbiter_readonly, arbiter_system, arbiter_queue;

-- Nobody can call a function until its migration grants it.
alter default privileges revoke execute on functions from public;

-- The tenant of the transaction; null when none is set. PostgreSQL leaves '' behind after a transaction that set it.
create function arbiter.current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant', true), '')::uuid;
grant execute on function arbiter.current_tenant() to arbiter_app, arbiter_readonly, arbiter_system;

-- The condition of policy tenant_isolation. The subquery reads the setting once per statement. Citus takes no subquery in a
-- policy, so a cluster has another condition (db/cluster/cluster.sql).
create function arbiter.isolation_condition(tenant_column name) returns text
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select format('%I = (select nullif(current_setting(''app.tenant'', true), '''')::uuid)', tenant_column)
$$;

-- Distributes a new table by its tenant. A single database has nothing to distribute; a cluster has another function of this
-- name (db/cluster/cluster.sql).
create function arbiter.distribute_table(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
end
$$;

-- Puts a table, and every partition it has, under forced row-level security with policy tenant_isolation.
create function arbiter.isolate_table(target regclass) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  part regclass;
begin
  if not exists (select from pg_attribute a
                  where a.attrelid = target and a.attname = 'tenant_id' and a.atttypid = 'uuid'::regtype
                    and a.attnotnull and not a.attisdropped) then
    raise exception 'table % needs a column tenant_id uuid not null', target;
  end if;
  for part in select relid from pg_partition_tree(target) union select target loop
    execute format('alter table %s enable row level security, force row level security', part);
    if not exists (select from pg_policy p where p.polrelid = part and p.polname = 'tenant_isolation') then
      execute format('create policy tenant_isolation on %s using (%s) with check (%2$s)',
        part, arbiter.isolation_condition('tenant_id'));
    end if;
  end loop;
end
$$;

-- Call this for every table with tenant data. Modes: 'full' (select, insert, update, delete),
-- 'insert_only' (select, insert), 'read_only' (select). Nobody may TRUNCATE: it ignores row-level security.
-- Partitions get no rights of their own; they are reached through the parent.
create function arbiter.protect_table(target regclass, mode text default 'full') returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  rights text := case mode
    when 'full' then 'select, insert, update, delete'
    when 'insert_only' then 'select, insert'
    when 'read_only' then 'select'
  end;
begin
  if rights is null then
    raise exception 'unknown mode % for table %', mode, target;
  end if;
  perform arbiter.isolate_table(target);
  execute format('revoke all on %s from public', target);
  execute format('grant %s on %s to arbiter_app', rights, target);
  execute format('grant select on %s to arbiter_readonly', target);
end
$$;

-- Opens a table to work before or across tenants (withSystem): exactly these rights, all rows.
-- Example: select arbiter.open_to_system('arbiter.api_keys', 'select, update').
create function arbiter.open_to_system(target regclass, rights text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if rights !~ '^(select|insert|update|delete)(, (select|insert|update|delete))*$' then
    raise exception 'unknown rights % for table %', rights, target;
  end if;
  if not exists (select from pg_policy p where p.polrelid = target and p.polname = 'system_access') then
    execute format('create policy system_access on %s to arbiter_system using (true) with check (true)', target);
  end if;
  execute format('grant %s on %s to arbiter_system', rights, target);
end
$$;

-- The smallest UUIDv7 of a day's first millisecond (UTC); platform/ids.ts firstIdAt computes the same.
create function arbiter.first_id_at(day date) returns uuid
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- Monthly partitions of a table that is PARTITION BY RANGE (id), id being a UUIDv7: a month's partition holds the ids
-- from the first id of its first millisecond (UTC) up to the next month's. Makes the missing ones of `months` months
-- from the month of `from_day` on and protects them in the same transaction. Returns how many it made.
create function arbiter.ensure_month_partitions(parent regclass, from_day date, months int) returns int
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  parent_name text;
  month_start date := date_trunc('month', from_day)::date;
  part_name text;
  made int := 0;
begin
  select c.relname into parent_name
    from pg_class c
   where c.oid = parent and c.relkind = 'p' and c.relnamespace = 'arbiter'::regnamespace
     and c.relowner = 'arbiter_owner'::regrole;
  if parent_name is null then
    raise exception '% is not a partitioned table of schema arbiter', parent;
  end if;
  if months is null or months < 1 or months > 120 or from_day < date '2020-01-01' or from_day > date '2200-01-01' then
    raise exception 'refused range of partitions: % from %', months, from_day;
  end if;
  -- One maker at a time; whoever waited finds the work done.
  perform pg_advisory_xact_lock(hashtextextended('arbiter.partitions.' || parent_name, 0));
  for i in 1 .. months loop
    part_name := parent_name || to_char(month_start, '"_y"YYYY"m"MM');
    if to_regclass(format('arbiter.%I', part_name)) is null then
      execute format('create table arbiter.%I partition of arbiter.%I for values from (%L) to (%L)',
        part_name, parent_name,
        arbiter.first_id_at(month_start), arbiter.first_id_at((month_start + interval '1 month')::date));
      perform arbiter.isolate_table(format('arbiter.%I', part_name)::regclass);
      made := made + 1;
    end if;
    month_start := (month_start + interval '1 month')::date;
  end loop;
  return made;
end
$$;
grant execute on function arbiter.ensure_month_partitions(regclass, date, int) to arbiter_app, arbiter_system;

-- Drops past months of a table that hold no rows. Row-level security applies to the owner too, so it is lifted from a
-- partition while we look. A partition that somebody is using is skipped.
create function arbiter.drop_empty_partitions(parent regclass, before_day date) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  parent_name text;
  part record;
  is_empty boolean;
  dropped int := 0;
begin
  select c.relname into parent_name
    from pg_class c
   where c.oid = parent and c.relkind = 'p' and c.relnamespace = 'arbiter'::regnamespace
     and c.relowner = 'arbiter_owner'::regrole;
  if parent_name is null then
    raise exception '% is not a partitioned table of schema arbiter', parent;
  end if;
  perform set_config('lock_timeout', '500ms', true);
  for part in
    -- One that was found to hold rows when it was vacuumed or analysed last is not locked to look again.
    select c.oid::regclass as name, to_date(right(c.relname, 7), 'YYYY"m"MM') as month
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = parent and c.relname ~ '_y\d{4}m\d{2}$' and c.reltuples <= 0
     order by 2
  loop
    continue when part.month + interval '1 month' > least(before_day, current_date);
    begin
      execute format('alter table %s no force row level security', part.name);
      execute format('select not exists (select from only %s)', part.name) into is_empty;
      if is_empty then
        execute format('drop table %s', part.name);
        dropped := dropped + 1;
      else
        execute format('alter table %s force row level security', part.name);
      end if;
    exception when lock_not_available then
      null;
    end;
  end loop;
  return dropped;
end
$$;
revoke all on function arbiter.drop_empty_partitions(regclass, date) from public;
grant execute on function arbiter.drop_empty_partitions(regclass, date) to arbiter_system;

-- The state of row-level security on every table and partition with tenant data, in schema arbiter and in the tenant's own
-- schema. It never names another tenant's schema.
create function arbiter.rls_report()
  returns table (table_schema text, table_name text, is_partition boolean,
                 rls_enabled boolean, rls_forced boolean, policies text[])
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select n.nspname::text, c.relname::text, c.relispartition, c.relrowsecurity, c.relforcerowsecurity,
         array(select p.polname::text from pg_policy p where p.polrelid = c.oid order by p.polname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p')
     and n.nspname in ('arbiter', 't_' || replace(nullif(current_setting('app.tenant', true), ''), '-', ''))
     and c.relname <> 'schema_migrations'
   order by n.nspname, c.relname
$$;
grant execute on function arbiter.rls_report() to arbiter_app, arbiter_readonly;

-- Puts one of those tables back under forced row-level security. Safe to repeat; refuses tables of other tenants.
create function arbiter.repair_rls(table_schema text, table_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  target regclass := to_regclass(format('%I.%I', table_schema, table_name));
begin
  if target is null or not exists (
       select from arbiter.rls_report() r
        where r.table_schema = repair_rls.table_schema and r.table_name = repair_rls.table_name) then
    raise exception 'no table of this tenant: %', table_name;
  end if;
  if target = 'arbiter.tenants'::regclass then
    perform arbiter.isolate_tenants();
  else
    perform arbiter.isolate_table(target);
  end if;
end
$$;
grant execute on function arbiter.repair_rls(text, text) to arbiter_app;

-- =====================================================================================================================
-- Tenants, the number of their catalogue, and its history
-- =====================================================================================================================

-- The only table whose tenant is its id.
create table arbiter.tenants (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  is_playground boolean not null default false,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- The name the operator's bootstrap file uses. Separate from the display name, so that nobody can take over an operator's
  -- tenant, or hide one from the file, by renaming their own.
  bootstrap_name text
);
comment on table arbiter.tenants is 'Tenants; deleted_at set = no credential of it is accepted any more.';

create function arbiter.isolate_tenants() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  alter table arbiter.tenants enable row level security, force row level security;
  if not exists (select from pg_policy p
                  where p.polrelid = 'arbiter.tenants'::regclass and p.polname = 'tenant_isolation') then
    execute format('create policy tenant_isolation on arbiter.tenants using (%s) with check (%1$s)',
      arbiter.isolation_condition('id'));
  end if;
end
$$;
select arbiter.isolate_tenants();
-- The only unique index that doesn't start with the tenant: operators set these names, tenants can't.
create unique index tenants_bootstrap_name on arbiter.tenants (bootstrap_name) where bootstrap_name is not null;
grant select, insert, update on arbiter.tenants to arbiter_app;
grant select on arbiter.tenants to arbiter_readonly;
select arbiter.open_to_system('arbiter.tenants', 'select, insert, update');

-- The number of the tenant's catalogue state: raised once by each transaction that changes the catalogue
-- (tx.touchCatalogue) and announced to every node on channel arbiter_catalogue.
create table arbiter.catalogue_versions (
  tenant_id uuid primary key references arbiter.tenants (id) on delete cascade,
  version bigint not null check (version > 0),
  updated_at timestamptz not null default now()
);
select arbiter.protect_table('arbiter.catalogue_versions');
select arbiter.open_to_system('arbiter.catalogue_versions', 'select');

-- When each number of a tenant's catalogue was committed, and by whom. Kept as long as the tenant.
create table arbiter.catalogue_log (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  config_version bigint not null check (config_version > 0),
  -- The database's clock, read under the lock of the version row: later numbers always have later instants.
  committed_at timestamptz not null,
  -- As in audit rows; `database:<role>` for a change made without the API.
  actor text not null,
  primary key (tenant_id, config_version)
);
create index catalogue_log_instants on arbiter.catalogue_log (tenant_id, committed_at);
select arbiter.protect_table('arbiter.catalogue_log', 'insert_only');

-- Every state of a governed record, for "as of" questions, restore and backtests. Triggers write it, so no writer can forget.
create table arbiter.record_versions (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  -- As in the resource and in audit rows; also `tenantSettings` (its id is the tenant's) and `flowVersion` (the flow's).
  entity_type text not null,
  entity_id uuid not null,
  -- Rises with every change of a record, even when its version doesn't.
  number bigint not null generated always as identity,
  -- The record's own counter.
  version integer not null,
  -- The catalogue number at which this state began; null until its transaction ends.
  config_version bigint,
  -- The row's columns under their names in the database, without tenant_id and without counters that aren't configuration.
  body jsonb not null,
  -- Deleted softly, or gone: then `body` is the last state of the row.
  deleted boolean not null,
  primary key (tenant_id, entity_type, entity_id, number)
);
-- Read when a transaction ends.
create index record_versions_open on arbiter.record_versions (tenant_id) where config_version is null;
select arbiter.protect_table('arbiter.record_versions', 'insert_only');
grant update (config_version) on arbiter.record_versions to arbiter_app;

-- Trigger of governed tables. Arguments: entity type, id column, counter column, columns to leave out. Writes the versions of
-- all rows that a statement changed at once.
create function arbiter.keep_record_versions() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  kind text := tg_argv[0];
  id_column text := tg_argv[1];
  counter text := tg_argv[2];
  omitted text[] := array_append(tg_argv[3]::text[], 'tenant_id');
begin
  if tg_op = 'INSERT' then
    insert into arbiter.record_versions (tenant_id, entity_type, entity_id, version, body, deleted)
    select n.tenant_id, kind, (n.body ->> id_column)::uuid, (n.body ->> counter)::int, n.body - omitted,
           n.body ->> 'deleted_at' is not null
      from (select changed.tenant_id, to_jsonb(changed) as body from changed) n;
  elsif tg_op = 'UPDATE' then
    -- A row whose kept columns are what they were has no new version.
    insert into arbiter.record_versions (tenant_id, entity_type, entity_id, version, body, deleted)
    select n.tenant_id, kind, (n.body ->> id_column)::uuid, (n.body ->> counter)::int, n.body - omitted,
           n.body ->> 'deleted_at' is not null
      from (select changed.tenant_id, to_jsonb(changed) as body from changed) n
      left join (select gone.tenant_id, to_jsonb(gone) as body from gone) o
        on o.tenant_id = n.tenant_id and o.body ->> id_column = n.body ->> id_column
     where o.body is null or o.body - omitted <> n.body - omitted;
  else
    insert into arbiter.record_versions (tenant_id, entity_type, entity_id, version, body, deleted)
    select o.tenant_id, kind, (o.body ->> id_column)::uuid, (o.body ->> counter)::int + 1, o.body - omitted, true
      from (select gone.tenant_id, to_jsonb(gone) as body from gone) o;
  end if;
  return null;
end
$$;

-- Call this for every table whose rows are configuration.
create function arbiter.keep_versions(
  target regclass, entity_type text, counter text default 'version', id_column text default 'id',
  omitted text[] default '{}') returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  event text;
begin
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format(
      'create trigger keep_versions_%1$s after %1$s on %2$s %3$s for each statement '
      'execute function arbiter.keep_record_versions(%4$L, %5$L, %6$L, %7$L)',
      event, target,
      case event
        when 'insert' then 'referencing new table as changed'
        when 'update' then 'referencing new table as changed old table as gone'
        else 'referencing old table as gone'
      end,
      entity_type, id_column, counter, omitted::text);
  end loop;
end
$$;

-- Ends a change of the catalogue: takes the next number, stamps the versions that wait for it, adds an event for each changed
-- record to the tenant's stream (500 per row, because a bulk change has thousands), and notifies every node.
create function arbiter.raise_catalogue_version(tenant uuid, actor text) returns bigint
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  raised record;
begin
  insert into arbiter.catalogue_versions as c (tenant_id, version, updated_at) values (tenant, 1, clock_timestamp())
  on conflict (tenant_id) do update
    set version = c.version + 1, updated_at = greatest(c.updated_at + interval '1 microsecond', clock_timestamp())
  returning c.version, c.updated_at into raised;
  insert into arbiter.catalogue_log (tenant_id, config_version, committed_at, actor)
  values (tenant, raised.version, raised.updated_at, actor);
  with latest as (
    select distinct on (r.entity_type, r.entity_id) r.entity_type, r.entity_id, r.version, r.number
      from arbiter.record_versions r where r.tenant_id = tenant and r.config_version is null
     order by r.entity_type, r.entity_id, r.number desc),
  numbered as (select *, (row_number() over (order by number) - 1) / 500 as part from latest)
  insert into arbiter.outbox (tenant_id, events, created_at)
  select tenant,
         json_agg(json_build_object(
           'id', gen_random_uuid(), 'type', 'catalogue.changed.v1', 'tenantId', tenant,
           'timestamp', to_char(raised.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'payload', json_build_object('entityType', entity_type, 'id', entity_id, 'version', version))
           order by number)::text,
         raised.updated_at
    from numbered group by part order by part;
  update arbiter.record_versions set config_version = raised.version where tenant_id = tenant and config_version is null;
  perform pg_notify('arbiter_catalogue', tenant::text);
  return raised.version;
end
$$;
grant execute on function arbiter.raise_catalogue_version(uuid, text) to arbiter_app;

-- Raises the number for a transaction that changed the catalogue without saying so, such as a repair by hand.
create function arbiter.close_record_version() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from arbiter.record_versions r
              where r.tenant_id = new.tenant_id and r.entity_type = new.entity_type and r.entity_id = new.entity_id
                and r.number = new.number and r.config_version is null) then
    perform arbiter.raise_catalogue_version(new.tenant_id, 'database:' || current_user);
  end if;
  return null;
end
$$;
create constraint trigger close_record_version after insert on arbiter.record_versions
  deferrable initially deferred for each row when (new.config_version is null)
  execute function arbiter.close_record_version();

-- Settings that differ from the contract's defaults.
create table arbiter.tenant_settings (
  tenant_id uuid primary key references arbiter.tenants (id),
  version integer not null check (version > 0),
  overrides jsonb not null check (jsonb_typeof(overrides) = 'object'),
  updated_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.tenant_settings');
revoke delete on arbiter.tenant_settings from arbiter_app;
select arbiter.keep_versions('arbiter.tenant_settings', 'tenantSettings', id_column => 'tenant_id');
-- Locking a tenant's settings for the first time inserts an empty row, which is not a version of anything.
drop trigger keep_versions_insert on arbiter.tenant_settings;

-- Decisions that a playground has used. Only playgrounds have a row.
create table arbiter.playground_quotas (
  tenant_id uuid primary key references arbiter.tenants (id),
  used integer not null default 0 check (used >= 0),
  -- Catalogues with a lower version are from before the last reset.
  reset_version bigint not null default 0
);
select arbiter.protect_table('arbiter.playground_quotas');
revoke delete on arbiter.playground_quotas from arbiter_app;

-- How long a tenant keeps each class of data. Without a row the defaults of docs/design/api-access.md 14 apply.
create table arbiter.retention_configs (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  data_class text not null,
  retention_days integer not null check (retention_days between 1 and 36500),
  legal_hold boolean not null default false,
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.retention_configs is 'How long a tenant keeps its data, by class.';
create unique index retention_configs_data_class on arbiter.retention_configs (tenant_id, data_class);
select arbiter.protect_table('arbiter.retention_configs');

-- What was deleted by age: retention doesn't tell, because it may have been raised since.
create table arbiter.retention_removals (
  tenant_id uuid not null references arbiter.tenants (id),
  data_class text not null,
  -- Data stored before this was deleted.
  removed_before timestamptz(3) not null,
  primary key (tenant_id, data_class)
);
comment on table arbiter.retention_removals is 'Until when data of a class was deleted by its age.';
select arbiter.protect_table('arbiter.retention_removals');

-- Policy as code: the files that were applied last, so that we can report drift without the folder.
create table arbiter.applied_files (
  tenant_id uuid not null references arbiter.tenants (id),
  -- Entity of the apply's audit row: everything after that row is drift.
  apply_id uuid not null,
  applied_at timestamptz(3) not null,
  user_id text not null,
  user_name text not null,
  config_version integer not null,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  files jsonb not null check (jsonb_typeof(files) = 'array'),
  primary key (tenant_id)
);
select arbiter.protect_table('arbiter.applied_files');

-- Demo data packs that a tenant has loaded, and the rows they brought.
create table arbiter.seed_packs (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  key text not null,
  version integer not null check (version > 0),
  -- Resource -> number of rows.
  counts jsonb not null check (jsonb_typeof(counts) = 'object'),
  -- Resource -> ids that unloading deletes.
  records jsonb not null check (jsonb_typeof(records) = 'object'),
  loaded_at timestamptz(3) not null,
  primary key (tenant_id, key)
);
comment on table arbiter.seed_packs is 'Packs a tenant has loaded; names and keys of their rows are the tenant''s.';
select arbiter.protect_table('arbiter.seed_packs');

-- Progress of loading demo data, written outside the transaction that loads, so that others can see it.
-- True while a session holds the advisory lock with this 64-bit key. On a cluster it looks on the node that runs it.
create function arbiter.is_lock_held(key bigint) returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from pg_locks l
     where l.locktype = 'advisory' and l.granted and l.objsubid = 1
       and l.database = (select d.oid from pg_database d where d.datname = current_database())
       and l.classid::bigint = (key >> 32 & 4294967295) and l.objid::bigint = (key & 4294967295))
$$;
grant execute on function arbiter.is_lock_held(bigint) to arbiter_app;

create table arbiter.seed_progress (
  tenant_id uuid primary key references arbiter.tenants (id) on delete cascade,
  key text not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  step text not null,
  progress integer not null check (progress between 0 and 100),
  updated_at timestamp(3) with time zone not null
);
select arbiter.protect_table('arbiter.seed_progress');

-- =====================================================================================================================
-- People, sessions and credentials
-- =====================================================================================================================

-- Tells every node to forget a tenant's credentials when one of them changes.
create function arbiter.notify_credentials() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Only a row of tenants has no tenant_id.
  perform pg_notify('arbiter_credentials', coalesce(r ->> 'tenant_id', r ->> 'id')) from to_jsonb(coalesce(new, old)) r;
  return null;
end
$$;
create trigger tenants_gone after update of deleted_at or delete on arbiter.tenants
  for each row execute function arbiter.notify_credentials();

create table arbiter.users (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  email text not null,
  -- The address in the form we compare: one row per address and tenant, whatever the letter case.
  email_key text not null,
  name text not null,
  role text not null check (role in ('admin', 'editor', 'viewer', 'member')),
  source text not null check (source in ('registration', 'invite', 'scim', 'sso', 'google', 'bootstrap')),
  email_verified_at timestamptz(3),
  deactivated_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  image text,
  -- Id of the person in the directory that provisions them.
  external_id text,
  last_login_at timestamptz(3),
  -- Passwords are refused until then. Separate from deactivated_at, so that neither undoes the other.
  locked_until timestamptz(3),
  -- Wrong passwords in a row.
  failed_logins integer not null default 0 check (failed_logins >= 0),
  -- True once the person followed a link we emailed, or Google confirmed the address. Directories and single sign-on create
  -- verified users for whom this stays false.
  address_proven boolean not null default false,
  -- SCIM attributes from the directory, except those with columns: userName, displayName, externalId and active.
  attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
  -- Where we send email when it isn't `email`: the name of a provisioned account may not be an address.
  mail_address text,
  -- Whether a second factor is on, so that admins who require one can see who has none.
  second_factor boolean not null default false,
  primary key (tenant_id, id),
  constraint users_email_key unique (tenant_id, email_key)
);
-- Sign-in finds people by their address, before the tenant is known.
create index users_email_lookup on arbiter.users (email_key);
-- A directory looks people up by it.
create index users_external_id on arbiter.users (tenant_id, lower(external_id)) where external_id is not null;
select arbiter.protect_table('arbiter.users');
revoke delete on arbiter.users from arbiter_app;
-- A key is checked before its tenant is known, and so is the person it acts for.
create policy system_access on arbiter.users for select to arbiter_system using (true);
grant select (tenant_id, id, name, deactivated_at) on arbiter.users to arbiter_system;
grant select (email, email_key, role, source, email_verified_at, last_login_at, address_proven) on arbiter.users to arbiter_system;
-- Only changes of what a credential allows: otherwise anybody could clear the nodes' caches with wrong passwords.
create trigger users_changed after update of name, role, email, deactivated_at on arbiter.users
  for each row execute function arbiter.notify_credentials();

-- Separate from users, so that nothing that shows people can show it. No row: no password yet.
create table arbiter.user_passwords (
  tenant_id uuid not null,
  user_id uuid not null,
  -- Argon2id, in the PHC string format.
  password_hash text not null check (password_hash like '$argon2id$%'),
  changed_at timestamptz(3) not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
select arbiter.protect_table('arbiter.user_passwords');
revoke select on arbiter.user_passwords from arbiter_readonly;

create table arbiter.user_sessions (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  method text not null check (method in ('password', 'google', 'oidc', 'saml', 'link')),
  started_at timestamptz(3) not null,
  -- However often the cookie is renewed.
  ends_at timestamptz(3) not null,
  -- Signed out, or ended by a new password or a deactivation.
  ended_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
create index user_sessions_user on arbiter.user_sessions (tenant_id, user_id) where ended_at is null;
create index user_sessions_end on arbiter.user_sessions (ends_at);
select arbiter.protect_table('arbiter.user_sessions');
-- Sessions are checked before the tenant is known, and swept across tenants.
select arbiter.open_to_system('arbiter.user_sessions', 'select, delete');
create trigger user_sessions_ended after update of ended_at on arbiter.user_sessions
  for each row execute function arbiter.notify_credentials();

-- Links we emailed or printed. The token itself is not stored.
create table arbiter.user_tokens (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('verification', 'reset', 'invitation', 'sign_in')),
  -- Keyed hash over purpose and token.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  -- For a verification: what this registration entered. It takes effect when its own link is followed.
  given_name text,
  given_tenant_name text,
  password_hash text check (password_hash like '$argon2id$%'),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- Replaced by another link, or the person was deactivated.
  voided_at timestamptz(3),
  primary key (tenant_id, id),
  constraint user_tokens_token_hash unique (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
-- For the lookup before the tenant is known.
create index user_tokens_lookup on arbiter.user_tokens (token_hash);
create index user_tokens_user on arbiter.user_tokens (tenant_id, user_id);
select arbiter.protect_table('arbiter.user_tokens');
revoke select on arbiter.user_tokens from arbiter_readonly;
create policy system_access on arbiter.user_tokens to arbiter_system using (true) with check (true);
grant select (tenant_id, id, user_id, purpose, token_hash, expires_at, used_at, voided_at), delete
  on arbiter.user_tokens to arbiter_system;

-- The tenant that a registration is about to create, so that two registrations of one address create one tenant. Only the
-- system role writes it, because there is no tenant yet; swept after a day.
create table arbiter.registration_claims (
  email_key text primary key,
  tenant_id uuid not null,
  claimed_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.registration_claims');
revoke all on arbiter.registration_claims from arbiter_app, arbiter_readonly;
select arbiter.open_to_system('arbiter.registration_claims', 'select, insert, update, delete');

-- Registrations and requests for emailed links (docs/adr/0069-account-requests-are-answered-later.md). The call stores one and
-- gives the same answer for every address; a job looks the address up and deletes the row.
create table arbiter.account_requests (
  -- A new id that the row is sealed under: nobody has looked up the tenant yet.
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

-- Emails waiting to be sent (docs/adr/0042-mail.md). Address, names and links are sealed with DATA_ENCRYPTION_KEY; the job
-- holds the id only. A row is deleted when its email is sent or expires.
create table arbiter.mails (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null check (kind in
    ('verification', 'registration_known', 'reset', 'invitation', 'locked', 'welcome', 'second_factor',
    'approval_requested', 'approval_resolved')),
  sealed bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null check (expires_at > created_at),
  primary key (tenant_id, id)
);
comment on table arbiter.mails is 'Mails that wait to be sent, sealed.';
create index mails_expiry on arbiter.mails (tenant_id, expires_at);
select arbiter.protect_table('arbiter.mails');
revoke select on arbiter.mails from arbiter_readonly;

-- Second factors of people who sign in with a password.
create table arbiter.second_factors (
  tenant_id uuid not null,
  user_id uuid not null,
  -- The secret shared with the app, sealed with DATA_ENCRYPTION_KEY.
  sealed bytea not null,
  -- Step (30 seconds) of the last code used: it and earlier ones are refused.
  last_step integer not null check (last_step >= 0),
  created_at timestamptz(3) not null,
  -- Null until a first code confirms it; until then sign-in doesn't ask for it.
  enabled_at timestamptz(3),
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
comment on table arbiter.second_factors is 'Secrets of authenticator apps, sealed.';
select arbiter.protect_table('arbiter.second_factors');
revoke select on arbiter.second_factors from arbiter_readonly;

-- Single-use codes for people who lost their app.
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

-- What the console remembers for a person.
create table arbiter.user_preferences (
  tenant_id uuid not null,
  user_id uuid not null,
  value json not null check (json_typeof(value) = 'object'),
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
comment on table arbiter.user_preferences is 'What the console remembers for people.';
select arbiter.protect_table('arbiter.user_preferences');

-- Who a person is at an identity provider, SAML or OpenID Connect. Addresses change hands, subjects don't.
create table arbiter.user_identities (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  issuer text not null check (length(issuer) between 1 and 2048),
  subject text not null check (length(subject) between 1 and 1024),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint user_identities_subject unique (tenant_id, issuer, subject),
  constraint user_identities_user unique (tenant_id, user_id, issuer),
  foreign key (tenant_id, user_id) references arbiter.users (tenant_id, id)
);
-- A sign-in with Google names no tenant.
create index user_identities_lookup on arbiter.user_identities (issuer, subject);
select arbiter.protect_table('arbiter.user_identities');
select arbiter.open_to_system('arbiter.user_identities', 'select');

create table arbiter.sso_configs (
  tenant_id uuid not null primary key references arbiter.tenants (id),
  provider text not null check (provider in ('oidc', 'saml', 'none')),
  enabled boolean not null check (not enabled or provider <> 'none'),
  saml_entity_id text,
  saml_sso_url text,
  saml_acs_url text,
  saml_allow_unsolicited boolean not null,
  oidc_issuer text,
  oidc_client_id text,
  oidc_scopes text not null,
  default_role text not null check (default_role in ('admin', 'editor', 'viewer')),
  allowed_domains text[] not null,
  auto_provision boolean not null,
  enforce_for_all_users boolean not null check (not enforce_for_all_users or enabled),
  updated_at timestamptz(3) not null
);
select arbiter.protect_table('arbiter.sso_configs');

-- Separate from the configuration, so that nothing that reads it can show them. Sealed with DATA_ENCRYPTION_KEY.
create table arbiter.sso_secrets (
  tenant_id uuid not null,
  field text not null check (field in ('oidcClientSecret', 'samlCertificate')),
  sealed bytea not null,
  primary key (tenant_id, field),
  foreign key (tenant_id) references arbiter.sso_configs (tenant_id)
);
select arbiter.protect_table('arbiter.sso_secrets');
revoke select on arbiter.sso_secrets from arbiter_readonly;

-- Sign-ins waiting for the identity provider. The response deletes the row it names.
create table arbiter.sso_states (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  provider text not null check (provider in ('oidc', 'saml')),
  -- SHA-256 of the nonce in `state`, or of the id of the SAML request.
  name_hash bytea not null check (octet_length(name_hash) = 32),
  -- SHA-256 of the cookie of the browser that started; null: not bound to a browser, and opens no session.
  browser_hash bytea check (octet_length(browser_hash) = 32),
  opens_session boolean not null check (not opens_session or provider = 'saml' or browser_hash is not null),
  oidc_nonce text check ((oidc_nonce is null) = (provider = 'saml')),
  code_verifier text check ((code_verifier is null) = (provider = 'saml')),
  redirect_uri text check ((redirect_uri is null) = (provider = 'saml')),
  return_to text not null,
  expires_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint sso_states_name unique (tenant_id, name_hash)
);
create index sso_states_expiry on arbiter.sso_states (tenant_id, expires_at);
select arbiter.protect_table('arbiter.sso_states');
revoke select on arbiter.sso_states from arbiter_readonly;

-- Assertions we accepted, until they would be too old anyway: each is accepted once.
create table arbiter.sso_assertions (
  tenant_id uuid not null references arbiter.tenants (id),
  -- SHA-256 of issuer and id of the assertion.
  name_hash bytea not null check (octet_length(name_hash) = 32),
  expires_at timestamptz(3) not null,
  primary key (tenant_id, name_hash)
);
create index sso_assertions_expiry on arbiter.sso_assertions (tenant_id, expires_at);
select arbiter.protect_table('arbiter.sso_assertions');
revoke select on arbiter.sso_assertions from arbiter_readonly;

create table arbiter.api_keys (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  prefix text not null,
  -- HMAC-SHA256 of the key under API_KEY_PEPPER; the key itself is not stored.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The person the key acts for: a user id, or `system`.
  person text not null,
  created_at timestamptz(3) not null,
  -- Previous owners still know the secret, so the four-eyes rule counts them too
  -- (docs/adr/0068-a-credential-does-what-its-owner-may.md).
  earlier_people text[] not null default '{}',
  primary key (tenant_id, id),
  constraint api_keys_key_hash unique (tenant_id, key_hash)
);
comment on column arbiter.api_keys.person is 'The owner, whose role limits the key: a user id, or `system`.';
-- For the lookup before the tenant is known. Not unique: a broken unique index would tell of other tenants' keys.
create index api_keys_lookup on arbiter.api_keys (key_hash);
-- Lists a person's credentials before the person is deactivated.
create index api_keys_person on arbiter.api_keys (tenant_id, person) where revoked_at is null;
select arbiter.protect_table('arbiter.api_keys');
revoke delete on arbiter.api_keys from arbiter_app;
revoke select on arbiter.api_keys from arbiter_readonly;
select arbiter.open_to_system('arbiter.api_keys', 'select');
create trigger api_keys_changed after insert or update or delete on arbiter.api_keys
  for each row execute function arbiter.notify_credentials();

-- Separate from the key, so that noting a use and changing the key never wait for each other.
create table arbiter.api_key_uses (
  tenant_id uuid not null,
  api_key_id uuid not null,
  last_used_at timestamptz(3) not null,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references arbiter.api_keys (tenant_id, id)
);
select arbiter.protect_table('arbiter.api_key_uses');

create table arbiter.oauth_clients (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  -- `kci_` and 16 random bytes in hex. Not a secret.
  client_id text not null,
  -- HMAC-SHA256 of the secret under API_KEY_PEPPER.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  -- The person the client acts for: a user id, or `system`.
  person text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  earlier_people text[] not null default '{}',
  primary key (tenant_id, id),
  constraint oauth_clients_client_id unique (tenant_id, client_id)
);
comment on column arbiter.oauth_clients.person is 'The owner, whose role limits the client: a user id, or `system`.';
-- For the lookup before the tenant is known. Not unique: a broken unique index would tell of other tenants' clients.
create index oauth_clients_lookup on arbiter.oauth_clients (client_id);
create index oauth_clients_person on arbiter.oauth_clients (tenant_id, person) where revoked_at is null;
select arbiter.protect_table('arbiter.oauth_clients');
revoke delete on arbiter.oauth_clients from arbiter_app;
revoke select on arbiter.oauth_clients from arbiter_readonly;
select arbiter.open_to_system('arbiter.oauth_clients', 'select');
-- Nodes cache checked tokens with their owner's rights. Revoking a client needs no message: issued tokens work until they
-- expire.
create trigger oauth_clients_changed after update of person on arbiter.oauth_clients
  for each row execute function arbiter.notify_credentials();

-- =====================================================================================================================
-- Audit log and approvals
-- =====================================================================================================================

-- Rows are appended, never changed. Timestamps have milliseconds, because the hash covers those.
create table arbiter.audit_logs (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  sequence bigint not null check (sequence > 0),
  timestamp timestamptz(3) not null,
  user_id text not null,
  user_name text not null,
  request_id text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  entity_name text,
  entity_version integer,
  changes jsonb not null,
  before jsonb,
  after jsonb,
  prev_hash text not null check (prev_hash ~ '^[0-9a-f]{64}$'),
  integrity_hash text not null check (integrity_hash ~ '^[0-9a-f]{64}$'),
  primary key (tenant_id, id),
  constraint audit_logs_sequence unique (tenant_id, sequence)
);
create index audit_logs_entity on arbiter.audit_logs (tenant_id, entity_type, entity_id, sequence desc);
select arbiter.protect_table('arbiter.audit_logs', 'insert_only');

-- The end of each chain. Writers lock it, the check compares it.
create table arbiter.audit_heads (
  tenant_id uuid primary key references arbiter.tenants (id),
  sequence bigint not null check (sequence >= 0),
  hash text not null check (hash ~ '^[0-9a-f]{64}$')
);
select arbiter.protect_table('arbiter.audit_heads');
revoke delete on arbiter.audit_heads from arbiter_app;

-- Deletes up to `most` of the tenant's oldest audit rows, in sequence and before `cut_before`, but never the last row or one
-- younger than a day. Returns the last row deleted. The application role can only append, so this is the only way to delete.
create function arbiter.cut_audit_logs(cut_before timestamptz, most int)
  returns table (rows bigint, sequence bigint, hash text)
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
  latest timestamptz := least(cut_before, clock_timestamp() - interval '1 day');
  upto bigint;
  gone bigint;
  last_hash text;
begin
  if most is null or most < 1 or most > 1000000 then
    raise exception 'refused number of rows: %', most;
  end if;
  -- The writer of the chain holds this row, too.
  perform from arbiter.audit_heads h where h.tenant_id = tenant for update;
  select max(kept.sequence) into upto
    from (select a.sequence, bool_and(a.timestamp < latest) over (order by a.sequence) as old
            from (select l.sequence, l.timestamp from arbiter.audit_logs l
                   where l.tenant_id = tenant order by l.sequence limit most) a) kept
   where kept.old and kept.sequence < (select h.sequence from arbiter.audit_heads h where h.tenant_id = tenant);
  if upto is null then
    return;
  end if;
  select l.integrity_hash into last_hash from arbiter.audit_logs l where l.tenant_id = tenant and l.sequence = upto;
  delete from arbiter.audit_logs l where l.tenant_id = tenant and l.sequence <= upto;
  get diagnostics gone = row_count;
  return query select gone, upto, last_hash;
end
$$;
grant execute on function arbiter.cut_audit_logs(timestamptz, int) to arbiter_app;

-- Requests to change governed records.
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
  -- Secrets are masked with bullets; null: no payload.
  payload jsonb,
  payload_bytes integer not null check (payload_bytes >= 0),
  -- JSON Pointers of the masked values.
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

-- Complete payloads that contain secrets, sealed with DATA_ENCRYPTION_KEY. Deleted when the request is resolved.
create table arbiter.approval_secrets (
  tenant_id uuid not null,
  approval_id uuid not null,
  sealed bytea not null,
  primary key (tenant_id, approval_id),
  foreign key (tenant_id, approval_id) references arbiter.approvals (tenant_id, id)
);
select arbiter.protect_table('arbiter.approval_secrets');
revoke select on arbiter.approval_secrets from arbiter_readonly;

-- =====================================================================================================================
-- Requests, jobs and leases
-- =====================================================================================================================

-- Responses to calls with an Idempotency-Key, written in the transaction of their effect. Scope: tenant, credential, route.
-- Rows older than 7 days are ignored and deleted in passing.
create table arbiter.idempotency_keys (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  credential_id text not null check (char_length(credential_id) between 1 and 200),
  route text not null check (char_length(route) between 1 and 200),
  key text not null check (char_length(key) between 1 and 255),
  payload_hash bytea not null check (octet_length(payload_hash) = 32),
  status smallint not null check (status between 200 and 299),
  headers jsonb not null,
  body text,
  created_at timestamptz not null,
  -- Work too large for one transaction holds its key while a process renews held_until every few seconds. If the process
  -- ends, a retry of the call takes the work over (http/keyed-work.ts).
  work_id uuid,
  holder_id uuid,
  held_until timestamptz(3),
  primary key (tenant_id, credential_id, route, key),
  constraint idempotency_keys_held_check
    check (num_nulls(work_id, holder_id, held_until) in (0, 3) and (work_id is null or body is null))
);
comment on table arbiter.idempotency_keys is 'Answers kept for repeated calls with the same Idempotency-Key.';
create index idempotency_keys_age on arbiter.idempotency_keys (tenant_id, created_at);
select arbiter.protect_table('arbiter.idempotency_keys');

-- Sliding windows: when calls were allowed, in epoch microseconds. Some limits apply before the tenant is known, so only
-- arbiter_system has rights here; buckets without a tenant have the nil UUID.
create table arbiter.rate_limit_windows (
  tenant_id uuid not null,
  bucket text not null check (char_length(bucket) between 1 and 200),
  hits bigint[] not null,
  accepted boolean not null,
  expires_at timestamptz not null,
  primary key (tenant_id, bucket)
);
comment on table arbiter.rate_limit_windows is 'Calls let through per limit and caller; accepted = the last one was.';
create index rate_limit_windows_age on arbiter.rate_limit_windows (expires_at);
select arbiter.isolate_table('arbiter.rate_limit_windows');
revoke all on arbiter.rate_limit_windows from public;
select arbiter.open_to_system('arbiter.rate_limit_windows', 'select, insert, update, delete');

-- Work that only one process may do at a time. Holders renew their lease and lose it when it expires by the database's clock.
-- Each new holder gets a higher token, which exposes a former one. Leases without a tenant have the nil UUID.
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

-- When jobs are due. Moving next_run_at forward claims the run and enqueues its job in the same transaction. key: the record
-- that the schedule belongs to; empty for a schedule declared by the job.
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

-- Jobs that ran out of attempts. Kept for 30 days.
create table arbiter.dead_letters (
  tenant_id uuid not null,
  id uuid not null,
  topic text not null,
  -- Ids only, as in the queue.
  payload jsonb not null,
  error text not null,
  -- Attempts so far, including manual retries.
  retry_count integer not null check (retry_count >= 0),
  failed_at timestamptz not null,
  primary key (tenant_id, id)
);
comment on table arbiter.dead_letters is 'Jobs that used up their tries.';
create index dead_letters_topic on arbiter.dead_letters (tenant_id, topic, id);
create index dead_letters_age on arbiter.dead_letters (failed_at);
select arbiter.protect_table('arbiter.dead_letters');
select arbiter.open_to_system('arbiter.dead_letters', 'select, insert, update, delete');

-- =====================================================================================================================
-- Data schemas and the tenants' own tables
-- =====================================================================================================================

create table arbiter.schemas (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (name ~ '^[a-z0-9_]{1,60}$'),
  display_name text not null,
  description text not null default '',
  table_name text not null generated always as ('ds_' || name) stored,
  entity_type text not null default 'custom',
  schema_type text not null default 'customer',
  status text not null default 'active',
  linked_schema_id uuid,
  join_mapping jsonb,
  summary_columns jsonb,
  auto_enrich boolean not null default false,
  -- Fields in order. They are locked, versioned and audited with the schema.
  fields jsonb not null default '[]' check (jsonb_typeof(fields) = 'array'),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint schemas_name unique (tenant_id, name),
  constraint schemas_parent foreign key (tenant_id, linked_schema_id) references arbiter.schemas (tenant_id, id)
);
create index schemas_children on arbiter.schemas (tenant_id, linked_schema_id) where linked_schema_id is not null;
select arbiter.protect_table('arbiter.schemas');
select arbiter.keep_versions('arbiter.schemas', 'dataSchema');

create table arbiter.schema_joins (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  primary_schema_id uuid not null,
  primary_key text not null,
  foreign_schema_id uuid not null,
  foreign_key text not null,
  join_type text not null default 'left' check (join_type in ('left', 'inner')),
  auto_enrich boolean not null default true,
  prefix text check (prefix ~ '^[a-z0-9_]{0,32}$'),
  summary_columns jsonb check (jsonb_typeof(summary_columns) = 'array'),
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint schema_joins_primary foreign key (tenant_id, primary_schema_id) references arbiter.schemas (tenant_id, id),
  constraint schema_joins_foreign foreign key (tenant_id, foreign_schema_id) references arbiter.schemas (tenant_id, id),
  check (primary_schema_id <> foreign_schema_id)
);
create unique index schema_joins_name on arbiter.schema_joins (tenant_id, name);
create unique index schema_joins_foreign_key
  on arbiter.schema_joins (tenant_id, primary_schema_id, foreign_schema_id, primary_key, foreign_key);
create index schema_joins_foreign_schema on arbiter.schema_joins (tenant_id, foreign_schema_id);
select arbiter.protect_table('arbiter.schema_joins');
select arbiter.keep_versions('arbiter.schema_joins', 'schemaJoin');

-- Statistics of a schema's rows, cached for five minutes. A row without `stats` marks a count in progress: every write of rows
-- deletes it, and the count is stored only if its mark is still there.
create table arbiter.schema_stats (
  tenant_id uuid not null,
  schema_id uuid not null,
  -- The schema's version; statistics of another version are ignored.
  version integer not null,
  mark uuid not null,
  stats jsonb,
  counted_at timestamptz(3) not null,
  primary key (tenant_id, schema_id),
  constraint schema_stats_schema foreign key (tenant_id, schema_id) references arbiter.schemas (tenant_id, id)
);
select arbiter.protect_table('arbiter.schema_stats');

-- Tenants' own tables: schema t_<tenant id without dashes>, tables ds_<schema name>. The application role can't create tables;
-- these functions can, for the transaction's tenant only. They trust no argument: names are matched and quoted, types come
-- from a list, and defaults are literals or one of two functions.

-- The database schema of the transaction's tenant.
create function arbiter.ds_schema() returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
begin
  if tenant is null then
    raise exception 'no tenant is set';
  end if;
  return 't_' || replace(tenant::text, '-', '');
end
$$;

-- The quoted name of a table of the tenant, existing or new.
create function arbiter.ds_table(table_name text, must_exist boolean) returns text
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text;
begin
  if table_name is null or table_name !~ '^ds_[a-z0-9_]{1,60}$' then
    raise exception 'refused table name';
  end if;
  qualified := format('%I.%I', arbiter.ds_schema(), table_name);
  if must_exist and to_regclass(qualified) is null then
    raise exception 'no such table of this tenant' using errcode = 'undefined_table';
  end if;
  return qualified;
end
$$;

-- A field that is being added to a large table is a column `__new_<32 hex digits>` until it is complete. No field can have
-- such a name, so readers and writers of rows don't see it.
create function arbiter.ds_check_column(column_name text) returns void
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
begin
  if column_name ~ '^__new_[0-9a-f]{32}$' then
    return;
  end if;
  if column_name is null or column_name !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' or column_name in ('tenant_id')
     or column_name ~ '^(__|pg_)' or column_name in ('tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid') then
    raise exception 'refused column name';
  end if;
end
$$;

-- Definition of one column. Keys: name, dataType, length, precision, scale, isNullable, default
-- ({ "function": "now()" | "gen_random_uuid()" } or { "literal": text }).
create function arbiter.ds_column(col jsonb) returns text
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  data_type text := col ->> 'dataType';
  size int := (col ->> 'length')::int;
  digits int := (col ->> 'precision')::int;
  fraction int := (col ->> 'scale')::int;
  sql_type text;
  default_sql text := '';
begin
  perform arbiter.ds_check_column(col ->> 'name');
  sql_type := case
    when data_type in ('varchar', 'char') and size between 1 and 65535 then format('%s(%s)', data_type, size)
    when data_type = 'varchar' and size is null then 'varchar'
    when data_type in ('decimal', 'numeric') and digits between 1 and 100 and coalesce(fraction, 0) between 0 and digits
      then format('numeric(%s, %s)', digits, coalesce(fraction, 0))
    when data_type in ('decimal', 'numeric') and digits is null and fraction is null then 'numeric'
    when data_type = 'double' then 'double precision'
    when data_type in ('text', 'smallint', 'integer', 'bigint', 'real', 'boolean', 'date', 'time', 'timestamp',
                       'timestamptz', 'uuid', 'jsonb') then data_type
  end;
  if sql_type is null then
    raise exception 'refused data type';
  end if;
  if col -> 'default' ->> 'function' is not null then
    if col -> 'default' ->> 'function' not in ('now()', 'gen_random_uuid()') then
      raise exception 'refused default';
    end if;
    default_sql := format(' default (%s)::%s', col -> 'default' ->> 'function', sql_type);
  elsif col -> 'default' ->> 'literal' is not null then
    default_sql := format(' default %L::%s', col -> 'default' ->> 'literal', sql_type);
  end if;
  return format('%I %s%s%s', col ->> 'name', sql_type, default_sql,
    case when (col ->> 'isNullable')::boolean then '' else ' not null' end);
end
$$;

-- Creates an index on a column, unless a key of the table already covers it.
create function arbiter.ds_index_column(table_name text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
begin
  perform arbiter.ds_check_column(column_name);
  if exists (
    select from pg_index i
      join pg_attribute t on t.attrelid = i.indrelid and t.attnum = i.indkey[0] and t.attname = 'tenant_id'
      join pg_attribute c on c.attrelid = i.indrelid and c.attnum = i.indkey[1] and c.attname = column_name
     where i.indrelid = qualified::regclass) then
    return;
  end if;
  execute format('create index on %s (tenant_id, %I)', qualified, column_name);
end
$$;

-- Creates a table: the columns, tenant_id (never shown), the primary key (a counting column `id` by default), unique
-- constraints, forced row-level security, and the application role's rights.
create function arbiter.ds_create_table(table_name text, columns jsonb, primary_key text, row_key text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, false);
  tenant_schema text := arbiter.ds_schema();
  definitions text;
  uniques text;
begin
  if primary_key is not null then
    perform arbiter.ds_check_column(primary_key);
  end if;
  if to_regnamespace(tenant_schema) is null then
    -- Two first tables of one tenant at once: the second waits here, then looks again. The look goes to the catalogue
    -- itself, whose lock also brings the cached answer of to_regnamespace up to date; the advisory lock would not.
    perform pg_advisory_xact_lock(hashtextextended('arbiter.' || tenant_schema, 0));
    if not exists (select from pg_namespace n where n.nspname = tenant_schema) then
      execute format('create schema %I', tenant_schema);
      execute format('grant usage on schema %I to arbiter_app, arbiter_readonly', tenant_schema);
    end if;
  end if;
  select string_agg(', ' || arbiter.ds_column(c.value), '' order by c.ordinality),
         string_agg(format(', unique (tenant_id, %I)', c.value ->> 'name'), '' order by c.ordinality)
           filter (where (c.value ->> 'isUnique')::boolean)
    into definitions, uniques
    from jsonb_array_elements(columns) with ordinality c;
  execute format(
    'create table %s (tenant_id uuid not null default nullif(current_setting(''app.tenant'', true), '''')::uuid '
    'check (tenant_id = %L::uuid)%s%s, primary key (tenant_id, %I)%s)',
    qualified, current_setting('app.tenant'),
    case when primary_key is null then ', id bigint not null generated always as identity' else '' end,
    coalesce(definitions, ''), coalesce(primary_key, 'id'), coalesce(uniques, ''));
  perform arbiter.protect_table(qualified::regclass);
  perform arbiter.ds_index_column(table_name, row_key);
  perform arbiter.distribute_table(qualified::regclass);
end
$$;

create function arbiter.ds_add_column(table_name text, col jsonb) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
begin
  execute format('alter table %s add column %s', qualified, arbiter.ds_column(col));
  if (col ->> 'isUnique')::boolean then
    execute format('alter table %s add unique (tenant_id, %I)', qualified, col ->> 'name');
  end if;
end
$$;

create function arbiter.ds_drop_column(table_name text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
begin
  perform arbiter.ds_check_column(column_name);
  execute format('alter table %s drop column if exists %I', qualified, column_name);
end
$$;

create function arbiter.ds_drop_table(table_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('drop table if exists %s', arbiter.ds_table(table_name, false));
end
$$;
grant execute on function
  arbiter.ds_index_column(text, text),
  arbiter.ds_create_table(text, jsonb, text, text),
  arbiter.ds_add_column(text, jsonb),
  arbiter.ds_drop_column(text, text),
  arbiter.ds_drop_table(text)
  to arbiter_app;

-- Adds a column without rewriting the table: existing rows get a constant default or now() from the catalogue. A default
-- that differs by row applies to new rows only; the caller fills the others and then sets `not null`.
create function arbiter.ds_begin_column(table_name text, col jsonb) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
  name text := col ->> 'name';
  plain jsonb := col || '{"default": null, "isNullable": true}';
begin
  if col -> 'default' ->> 'function' is distinct from 'gen_random_uuid()' then
    execute format('alter table %s add column %s', qualified, arbiter.ds_column(col));
  else
    execute format('alter table %s add column %s', qualified, arbiter.ds_column(plain));
    execute format('alter table %s alter column %I set default gen_random_uuid()', qualified, name);
  end if;
end
$$;

-- Sets `not null` in three transactions, so that readers don't wait for a scan: a check for new rows only, its validation
-- while others read and write, and the constraint, which then needs no scan.
create function arbiter.ds_require_column(table_name text, column_name text, step int) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
  rule text := column_name || '_filled';
begin
  perform arbiter.ds_check_column(column_name);
  if step = 1 then
    execute format('alter table %s add constraint %I check (%I is not null) not valid', qualified, rule, column_name);
  elsif step = 2 then
    execute format('alter table %s validate constraint %I', qualified, rule);
  else
    execute format('alter table %s alter column %I set not null, drop constraint %I', qualified, column_name, rule);
  end if;
end
$$;

-- Makes a column unique with an index, not a constraint: building it blocks writers, but not readers.
create function arbiter.ds_unique_column(table_name text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform arbiter.ds_check_column(column_name);
  execute format('create unique index on %s (tenant_id, %I)', arbiter.ds_table(table_name, true), column_name);
end
$$;

-- Renames a complete column to its field.
create function arbiter.ds_finish_column(table_name text, pending text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform arbiter.ds_check_column(pending), arbiter.ds_check_column(column_name);
  execute format('alter table %s rename column %I to %I', arbiter.ds_table(table_name, true), pending, column_name);
end
$$;

-- Drops unfinished columns up to this name, which a process left behind when it was interrupted.
create function arbiter.ds_drop_unfinished(table_name text, up_to text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
  unfinished text;
begin
  for unfinished in
    select attname from pg_attribute
     where attrelid = qualified::regclass and not attisdropped and attname ~ '^__new_[0-9a-f]{32}$'
       and attname collate "C" <= up_to collate "C"
  loop
    execute format('alter table %s drop column %I', qualified, unfinished);
  end loop;
end
$$;
grant execute on function
  arbiter.ds_begin_column(text, jsonb),
  arbiter.ds_require_column(text, text, int),
  arbiter.ds_unique_column(text, text),
  arbiter.ds_finish_column(text, text, text),
  arbiter.ds_drop_unfinished(text, text)
  to arbiter_app;

-- Creates the index that finds a customer's newest rows in a joined table: one key, ordered by the primary key. Skipped if
-- the column is unique or the index exists.
create function arbiter.ds_index_group(table_name text, column_name text, order_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
begin
  perform arbiter.ds_check_column(column_name);
  perform arbiter.ds_check_column(order_name);
  if exists (
    select from pg_index i
      join pg_attribute t on t.attrelid = i.indrelid and t.attnum = i.indkey[0] and t.attname = 'tenant_id'
      join pg_attribute c on c.attrelid = i.indrelid and c.attnum = i.indkey[1] and c.attname = column_name
      left join pg_attribute o on o.attrelid = i.indrelid and o.attnum = i.indkey[2]
     where i.indrelid = qualified::regclass and i.indpred is null
       and ((i.indisunique and i.indnkeyatts = 2) or o.attname = order_name)) then
    return;
  end if;
  execute format('create index on %s (tenant_id, %I, %I)', qualified, column_name, order_name);
end
$$;
revoke all on function arbiter.ds_index_group(text, text, text) from public;
grant execute on function arbiter.ds_index_group(text, text, text) to arbiter_app;

-- =====================================================================================================================
-- Conditions and segments
-- =====================================================================================================================

-- How conditions read values, the same way the engine does (packages/engine/src/conditions/match.ts). The cases of
-- packages/engine/conformance/conditions.json run against both.

-- A finite double; 0 if the number is too small, null if it is too large. PostgreSQL's casts raise errors for both.
create function arbiter.condition_float(number numeric) returns double precision
  language plpgsql immutable strict parallel safe
as $$
begin
  if abs(number) < 1e300 and (number = 0 or abs(number) > 1e-300) then
    return number::double precision;
  elsif number = 'NaN' or abs(number) >= 1.797693134862315807937e308 then
    return null;
  elsif abs(number) < 2.4703282292062328e-324 then
    return 0;
  end if;
  return number::double precision;
end
$$;

-- The number in a text: digits with sign, decimals and exponent. Null for any other text.
create function arbiter.condition_number(written text) returns double precision
  language plpgsql immutable strict parallel safe
as $$
declare
  exponent text;
begin
  if written ~ '^[+-]?[0-9]{1,15}$' then
    return written::double precision;
  elsif length(written) > 400 or written !~ '^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$' then
    return null;
  end if;
  exponent := substring(written from '[eE]([+-]?[0-9]+)$');
  if length(ltrim(exponent, '+-0')) > 4 then
    -- Beyond what numeric holds. Nothing times a power of ten is still nothing.
    return case when exponent like '-%' or substring(written from '^[^eE]+') !~ '[1-9]' then 0 end;
  end if;
  return arbiter.condition_float(written::numeric);
end
$$;

-- Epoch milliseconds of an ISO date (midnight UTC) or instant (UTC when it has no offset); null for any other text.
create function arbiter.condition_instant(written text) returns bigint
  language plpgsql immutable strict parallel safe
as $$
declare
  part text[];
  first_day date;
  day int;
begin
  part := regexp_match(written,
    '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2}):?([0-9]{2})?)?)?$');
  -- An offset has two digits, four, or two and two around a colon.
  if part is null or written ~ ':$' or part[1] = '0000' or part[2]::int not between 1 and 12 or part[4]::int > 23
     or part[5]::int > 59 or part[6]::int > 59 or part[9]::int > 23 or part[10]::int > 59 then
    return null;
  end if;
  first_day := make_date(part[1]::int, part[2]::int, 1);
  day := part[3]::int;
  if day < 1 or extract(month from first_day + (day - 1)) <> part[2]::int then
    return null;
  end if;
  return (first_day - date '1970-01-01' + day - 1) * 86400000::bigint
    + coalesce(part[4]::int, 0) * 3600000 + coalesce(part[5]::int, 0) * 60000 + coalesce(part[6]::int, 0) * 1000
    + coalesce(rpad(left(part[7], 3), 3, '0')::int, 0)
    - case part[8] when '-' then -1 else 1 end * (coalesce(part[9]::int, 0) * 60 + coalesce(part[10]::int, 0)) * 60000;
end
$$;

create function arbiter.condition_ms(instant timestamptz) returns bigint
  language sql immutable strict parallel safe
  return floor(extract(epoch from instant) * 1000)::bigint;

-- The text of a decimal with more digits than a JSON number shows (15); null for all others, which stay numbers.
create function arbiter.condition_text(number numeric) returns text
  language sql immutable strict parallel safe
  return case when length(replace(regexp_replace(trim_scale(number)::text, '^-?0*\.?0*', ''), '.', '')) > 15
    then trim_scale(number)::text end;

create function arbiter.condition_decimal(number numeric) returns double precision
  language sql immutable strict parallel safe
  return case when arbiter.condition_text(number) is null then arbiter.condition_float(number)
    else arbiter.condition_number(arbiter.condition_text(number)) end;

-- Texts of the types that the API returns as texts.
create function arbiter.condition_text(value date) returns text
  language sql immutable strict parallel safe
  return to_char(value, 'YYYY-MM-DD');

create function arbiter.condition_text(value time) returns text
  language sql immutable strict parallel safe
  return to_char(value, 'HH24:MI:SS');

create function arbiter.condition_text(value timestamp) returns text
  language sql immutable strict parallel safe
  return regexp_replace(regexp_replace(to_char(value, 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\.000000$', ''), '(\.[0-9]{3})000$', '\1');

create function arbiter.condition_text(value timestamptz) returns text
  language sql immutable strict parallel safe
  return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create function arbiter.condition_text(value jsonb) returns text
  language sql immutable strict parallel safe
  return case when jsonb_typeof(value) = 'string' then value #>> '{}' end;

-- The number of a text in canonical integer form, for joining text with integers; null for any other text.
create function arbiter.condition_integer(written text) returns bigint
  language sql immutable strict parallel safe
  return case when written ~ '^(0|-?[1-9][0-9]{0,17})$' then written::bigint end;

-- JSON null is not a value, and neither is a number outside the range of a double.
create function arbiter.condition_present(value jsonb) returns boolean
  language sql immutable parallel safe
  return case jsonb_typeof(value)
    when 'null' then false
    when 'number' then arbiter.condition_float((value #>> '{}')::numeric) is not null
    else value is not null end;

-- Compares a JSON value with a text, number or boolean. comparison: eq, lt, lte, gt, gte. Different types: false.
create function arbiter.condition_json(value jsonb, comparison text, wanted jsonb) returns boolean
  language plpgsql immutable parallel safe
as $$
declare
  kind text := jsonb_typeof(value);
  wanted_kind text := jsonb_typeof(wanted);
  written text := value #>> '{}';
  wanted_text text := wanted #>> '{}';
  number double precision;
  wanted_number double precision;
  instant bigint;
  sides int;
begin
  if kind = 'boolean' then
    return comparison = 'eq' and value = wanted;
  elsif kind = 'number' or (kind = 'string' and wanted_kind = 'number') then
    number := case when kind = 'number' then arbiter.condition_float(written::numeric) else arbiter.condition_number(written) end;
    wanted_number := case wanted_kind
      when 'number' then arbiter.condition_float(wanted_text::numeric)
      when 'string' then arbiter.condition_number(wanted_text) end;
    sides := case when number < wanted_number then -1 when number > wanted_number then 1 when number = wanted_number then 0 end;
  elsif kind = 'string' and wanted_kind = 'string' then
    instant := arbiter.condition_instant(wanted_text);
    if instant is not null and arbiter.condition_instant(written) is not null then
      sides := sign(arbiter.condition_instant(written) - instant)::int;
    else
      sides := case when written = wanted_text then 0 when written collate "C" < wanted_text then -1 else 1 end;
    end if;
  end if;
  return coalesce(case comparison
    when 'eq' then sides = 0
    when 'lt' then sides < 0
    when 'lte' then sides <= 0
    when 'gt' then sides > 0
    when 'gte' then sides >= 0 end, false);
end
$$;

-- True for a JSON text with the substring, or a list with the element.
create function arbiter.condition_json_contains(value jsonb, wanted jsonb) returns boolean
  language sql immutable parallel safe
  return case jsonb_typeof(value)
    when 'array' then exists (select from jsonb_array_elements(value) as e(item) where arbiter.condition_json(e.item, 'eq', wanted))
    when 'string' then jsonb_typeof(wanted) = 'string' and strpos(value #>> '{}', wanted #>> '{}') > 0
    else false end;
-- Linters warn (`function_search_path_mutable`) that the condition functions have no `search_path` of their own. They don't
-- get one: PostgreSQL wouldn't inline a SQL function that has a `set`, and every call of a PL/pgSQL one would pay for it, for
-- each row of a segment. They are safe without:
--
-- * The SQL functions have bodies in the standard's form (`return ...`), which name the objects that were found when the
--   function was created. No later search_path changes them.
-- * The PL/pgSQL functions call nothing but pg_catalog, which is searched first unless a session itself puts another schema
--   in front of it, and `arbiter.` functions by their full names. They run with the rights of their caller.
--
-- A test (db/function-names.test.ts) refuses a function of the schema that is neither of these and has no search_path.
comment on function arbiter.condition_float(numeric) is 'Names pg_catalog only; no search_path, for speed.';
comment on function arbiter.condition_number(text) is 'Names pg_catalog and arbiter only; no search_path, for speed.';
comment on function arbiter.condition_instant(text) is 'Names pg_catalog only; no search_path, for speed.';
comment on function arbiter.condition_json(jsonb, text, jsonb) is
  'Names pg_catalog and arbiter only; no search_path, for speed.';
grant execute on function
  arbiter.condition_float(numeric),
  arbiter.condition_number(text),
  arbiter.condition_instant(text),
  arbiter.condition_ms(timestamptz),
  arbiter.condition_text(numeric),
  arbiter.condition_decimal(numeric),
  arbiter.condition_text(date),
  arbiter.condition_text(time),
  arbiter.condition_text(timestamp),
  arbiter.condition_text(timestamptz),
  arbiter.condition_text(jsonb),
  arbiter.condition_integer(text),
  arbiter.condition_present(jsonb),
  arbiter.condition_json(jsonb, text, jsonb),
  arbiter.condition_json_contains(jsonb, jsonb)
  to arbiter_app, arbiter_readonly;

create table arbiter.segments (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  entity_type text not null default 'customer' check (entity_type = 'customer'),
  base_schema_id uuid not null,
  joins jsonb not null default '[]' check (jsonb_typeof(joins) = 'array'),
  filters jsonb not null default '{"logic": "and", "conditions": []}' check (jsonb_typeof(filters) = 'object'),
  -- Null while it is being counted.
  customer_count bigint,
  view_name text not null check (view_name ~ '^seg_[0-9a-f]{12}$'),
  -- Column with the customer id in the view. A field customer_id added later is a different one.
  key_field text not null,
  last_refreshed_at timestamptz(3),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint segments_name unique (tenant_id, name),
  constraint segments_view_name unique (tenant_id, view_name),
  constraint segments_base foreign key (tenant_id, base_schema_id) references arbiter.schemas (tenant_id, id)
);
create index segments_base_schema on arbiter.segments (tenant_id, base_schema_id);
create index segments_joins on arbiter.segments using gin (joins jsonb_path_ops);
select arbiter.protect_table('arbiter.segments');
-- The number of customers is data, not configuration.
select arbiter.keep_versions('arbiter.segments', 'segment', omitted => '{customer_count,last_refreshed_at}');

-- When the members of a watched segment were first stored. A segment without members has a row too.
create table arbiter.segment_snapshots (
  tenant_id uuid not null,
  segment_id uuid not null,
  taken_at timestamptz(3) not null,
  primary key (tenant_id, segment_id),
  foreign key (tenant_id, segment_id) references arbiter.segments (tenant_id, id) on delete cascade
);
select arbiter.protect_table('arbiter.segment_snapshots');

create table arbiter.segment_members (
  tenant_id uuid not null,
  segment_id uuid not null,
  customer_id text not null,
  primary key (tenant_id, segment_id, customer_id),
  foreign key (tenant_id, segment_id) references arbiter.segment_snapshots (tenant_id, segment_id) on delete cascade
);
-- Used to erase a customer.
create index segment_members_customer on arbiter.segment_members (tenant_id, customer_id);
select arbiter.protect_table('arbiter.segment_members');

-- Creates or replaces a segment's view in the tenant's schema. `body` is a query of one column, customer_id, in which {0}
-- stands for the first literal and so on. It can't be more than a query: no quoted text, semicolon, comment or dollar sign.
-- The new view may only read tables of this tenant.
create function arbiter.ds_create_segment_view(view_name text, body text, literals text[]) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant_schema text := arbiter.ds_schema();
  qualified text;
  pieces text[];
  places text[];
  query text := '';
begin
  if view_name is null or view_name !~ '^seg_[0-9a-f]{12}$' then
    raise exception 'refused view name';
  end if;
  if body is null or body !~ '^select [][A-Za-z0-9_ ".,(){}<>=:+-]+$' or body ~ '--' then
    raise exception 'refused query';
  end if;
  pieces := regexp_split_to_array(body, '[{][0-9]+[}]');
  places := array(select m[1] from regexp_matches(body, '[{]([0-9]+)[}]', 'g') as m);
  for at in 1 .. cardinality(pieces) loop
    query := query || pieces[at];
    if at <= cardinality(places) then
      if literals[places[at]::int + 1] is null then
        raise exception 'missing literal';
      end if;
      query := query || quote_literal(literals[places[at]::int + 1]);
    end if;
  end loop;
  qualified := format('%I.%I', tenant_schema, view_name);
  execute format('drop view if exists %s', qualified);
  execute format('create view %s with (security_invoker = true) as %s', qualified, query);
  if exists (
    select from pg_rewrite r
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      left join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
      left join pg_proc p on d.refclassid = 'pg_proc'::regclass and p.oid = d.refobjid
     where r.ev_class = qualified::regclass and d.refobjid <> r.ev_class
       and (c.oid is not null and (c.relnamespace <> tenant_schema::regnamespace or c.relname !~ '^ds_')
           -- Metrics of customers. Row-level security holds for whoever reads the view.
           and c.oid <> all (array['arbiter.behavioral_metrics', 'arbiter.behavioral_metric_values',
             'arbiter.behavioral_metric_days', 'arbiter.tenant_settings']::regclass[])
         or p.oid is not null and not (p.pronamespace = 'arbiter'::regnamespace and p.proname ~ '^condition_'))) then
    raise exception 'refused query: it reads more than the tables of its tenant';
  end if;
  if array(select a.attname::text || ' ' || a.atttypid::regtype from pg_attribute a
            where a.attrelid = qualified::regclass and a.attnum > 0) <> array['customer_id text'] then
    raise exception 'refused query: it has more columns than customer_id';
  end if;
  execute format('revoke all on %s from public', qualified);
  execute format('grant select on %s to arbiter_app, arbiter_readonly', qualified);
end
$$;

create function arbiter.ds_drop_segment_view(view_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if view_name is null or view_name !~ '^seg_[0-9a-f]{12}$' then
    raise exception 'refused view name';
  end if;
  execute format('drop view if exists %I.%I', arbiter.ds_schema(), view_name);
end
$$;
grant execute on function
  arbiter.ds_create_segment_view(text, text, text[]),
  arbiter.ds_drop_segment_view(text)
  to arbiter_app;

-- =====================================================================================================================
-- Catalogue
-- =====================================================================================================================

create table arbiter.categories (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  description text not null default '',
  icon text not null default '',
  color text not null default 'blue',
  status text not null default 'active' check (status in ('active', 'inactive')),
  ordinal integer not null default 0,
  custom_fields jsonb not null default '[]' check (jsonb_typeof(custom_fields) = 'array'),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index categories_name on arbiter.categories (tenant_id, name) where deleted_at is null;
select arbiter.protect_table('arbiter.categories');
select arbiter.keep_versions('arbiter.categories', 'category');

create table arbiter.sub_categories (
  tenant_id uuid not null,
  id uuid not null,
  category_id uuid not null,
  name text not null,
  description text not null default '',
  icon text not null default '',
  color text not null default 'blue',
  status text not null default 'active' check (status in ('active', 'inactive')),
  ordinal integer not null default 0,
  custom_fields jsonb not null default '[]' check (jsonb_typeof(custom_fields) = 'array'),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint sub_categories_category foreign key (tenant_id, category_id) references arbiter.categories (tenant_id, id)
);
create unique index sub_categories_name on arbiter.sub_categories (tenant_id, category_id, name) where deleted_at is null;
select arbiter.protect_table('arbiter.sub_categories');
select arbiter.keep_versions('arbiter.sub_categories', 'subCategory');

create table arbiter.channels (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  key text not null,
  channel_type text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  delivery_mode text not null default 'api' check (delivery_mode in ('api', 'file', 'integration', 'manual')),
  impression_mode text not null default 'implicit' check (impression_mode in ('implicit', 'explicit')),
  coupling_mode text not null default 'partial' check (coupling_mode in ('partial', 'atomic')),
  provider_config jsonb not null default '{}' check (jsonb_typeof(provider_config) = 'object'),
  file_config jsonb not null default '{}' check (jsonb_typeof(file_config) = 'object'),
  timezone text,
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Attribute with the customer's address; null: the default for the channel's type.
  address_attribute text,
  primary key (tenant_id, id)
);
create unique index channels_name on arbiter.channels (tenant_id, name) where deleted_at is null;
create unique index channels_key on arbiter.channels (tenant_id, key) where deleted_at is null;
select arbiter.protect_table('arbiter.channels');
select arbiter.keep_versions('arbiter.channels', 'channel');

-- Secrets of the providers that channels send with. The config has bullets in their place, so that no record, version or
-- audit row shows them. Sealed with DATA_ENCRYPTION_KEY.
create table arbiter.channel_secrets (
  tenant_id uuid not null,
  channel_id uuid not null,
  -- In the channel's providerConfig: /apiKey, or /headers/ and the name in lower case.
  path text not null,
  sealed bytea not null,
  primary key (tenant_id, channel_id, path),
  constraint channel_secrets_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id)
);
select arbiter.protect_table('arbiter.channel_secrets');

create table arbiter.placements (
  tenant_id uuid not null,
  id uuid not null,
  channel_id uuid not null,
  name text not null,
  key text not null,
  description text not null default '',
  slot_type text not null default 'banner' check (slot_type in ('banner', 'card', 'inline', 'modal', 'overlay', 'list')),
  max_slots integer not null default 1 check (max_slots between 1 and 50),
  schema jsonb,
  targeting jsonb,
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint placements_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id)
);
create unique index placements_name on arbiter.placements (tenant_id, channel_id, name) where deleted_at is null;
create unique index placements_key on arbiter.placements (tenant_id, channel_id, key) where deleted_at is null;
select arbiter.protect_table('arbiter.placements');
select arbiter.keep_versions('arbiter.placements', 'placement');

create table arbiter.outcome_types (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  key text not null check (key ~ '^[a-z][a-z0-9_]{0,63}$'),
  name text not null,
  description text not null default '',
  classification text not null check (classification in ('positive', 'negative', 'neutral')),
  category text not null default 'response' check (category in ('impression', 'response')),
  is_conversion boolean not null default false,
  is_system boolean not null default false,
  ordinal integer not null default 0,
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  -- Never changes: history refers to outcomes by key.
  constraint outcome_types_key unique (tenant_id, key),
  check (not is_conversion or classification = 'positive')
);
create unique index outcome_types_name on arbiter.outcome_types (tenant_id, name) where deleted_at is null;
select arbiter.protect_table('arbiter.outcome_types');
select arbiter.keep_versions('arbiter.outcome_types', 'outcomeType');

create table arbiter.offers (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  category_id uuid,
  sub_category_id uuid,
  category text not null default 'engagement',
  "group" text not null default '',
  priority integer not null default 50 check (priority between 0 and 100),
  business_value double precision not null default 50 check (business_value between 0 and 100),
  mandatory boolean not null default false,
  mandatory_reason text,
  mandatory_expires_at timestamptz,
  mandatory_approved_by uuid,
  emergency_excluded boolean not null default false,
  description text not null default '',
  short_desc text not null default '',
  eligibility jsonb not null default '{}',
  budget jsonb not null default '{}',
  schedule jsonb not null default '{}',
  inventory jsonb not null default '{}',
  frequency_caps jsonb not null default '{}',
  metadata jsonb not null default '{}',
  tags jsonb not null default '[]',
  product_type text,
  margin double precision,
  revenue_value double precision check (revenue_value >= 0),
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  constraint offers_category foreign key (tenant_id, category_id) references arbiter.categories (tenant_id, id),
  constraint offers_sub_category foreign key (tenant_id, sub_category_id) references arbiter.sub_categories (tenant_id, id),
  constraint offers_mandatory_governed check (
    not mandatory
    or (mandatory_reason is not null and mandatory_expires_at is not null and mandatory_approved_by is not null)
  )
);
create unique index offers_name on arbiter.offers (tenant_id, name) where deleted_at is null;
create index offers_category on arbiter.offers (tenant_id, category_id) where deleted_at is null;
create index offers_sub_category on arbiter.offers (tenant_id, sub_category_id) where deleted_at is null;
select arbiter.protect_table('arbiter.offers');
select arbiter.keep_versions('arbiter.offers', 'offer');

-- Remaining stock of offers that track it. Separate from the offer, because every conversion changes it and every change of
-- an offer is a version of the catalogue.
create table arbiter.offer_stock (
  tenant_id uuid not null references arbiter.tenants (id),
  offer_id uuid not null,
  remaining bigint not null check (remaining >= 0),
  primary key (tenant_id, offer_id),
  foreign key (tenant_id, offer_id) references arbiter.offers (tenant_id, id)
);
comment on table arbiter.offer_stock is 'Pieces that are left of offers whose stock is tracked.';
create index offer_stock_sold_out on arbiter.offer_stock (tenant_id, offer_id) where remaining = 0;
select arbiter.protect_table('arbiter.offer_stock');

create table arbiter.content (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  channel_type text not null check (channel_type ~ '^[a-z][a-z0-9_]{0,31}$'),
  description text not null default '' check (char_length(description) <= 2000),
  status text not null default 'draft' check (status in ('draft', 'in_review', 'approved', 'published', 'archived')),
  content jsonb not null default '{}' check (jsonb_typeof(content) = 'object'),
  blocks jsonb not null default '[]' check (jsonb_typeof(blocks) = 'array'),
  personalization jsonb not null default '{}' check (jsonb_typeof(personalization) = 'object'),
  is_template boolean not null default false,
  source_type text not null default 'native' check (source_type = 'native'),
  parent_template_id uuid,
  -- People: a user id, or `system`.
  submitted_by text,
  submitted_at timestamptz(3),
  approved_by text,
  approved_at timestamptz(3),
  rejection_reason text,
  published_at timestamptz(3),
  -- Last published version. Stays when the item returns to draft.
  published_version integer,
  -- Templates it was built from: [{ id, version }]; version is null for a working copy.
  published_from jsonb not null default '[]' check (jsonb_typeof(published_from) = 'array'),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  -- A different person from the one who submitted.
  constraint content_two_persons check (approved_by is null or approved_by <> submitted_by),
  constraint content_not_own_parent check (parent_template_id <> id),
  foreign key (tenant_id, parent_template_id) references arbiter.content (tenant_id, id)
);
-- Archived items keep their names.
create unique index content_name on arbiter.content (tenant_id, name);
create index content_parents on arbiter.content (tenant_id, parent_template_id) where parent_template_id is not null;
select arbiter.protect_table('arbiter.content');
select arbiter.keep_versions('arbiter.content', 'contentItem');

-- Every version of an item. Rows never change.
create table arbiter.content_versions (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  content_item_id uuid not null,
  version integer not null check (version > 0),
  kind text not null check (kind in ('create', 'update', 'publish', 'revert')),
  content jsonb not null,
  blocks jsonb not null,
  personalization jsonb not null,
  -- Merged with the templates. Publishing sets both; decisions render this.
  merged jsonb,
  shown jsonb,
  change_note text,
  changed_by text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, content_item_id, version),
  foreign key (tenant_id, content_item_id) references arbiter.content (tenant_id, id) on delete cascade,
  check ((kind = 'publish') = (merged is not null and shown is not null))
);
select arbiter.protect_table('arbiter.content_versions', 'insert_only');

create table arbiter.creatives (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  offer_id uuid not null,
  channel_id uuid not null,
  placement_id uuid,
  content_item_id uuid,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  template_type text not null default 'email_html',
  content jsonb not null default '{}',
  personalization jsonb not null default '[]',
  constraints jsonb not null default '{}',
  ab_test_variant text,
  weight integer not null default 100 check (weight between 0 and 100),
  -- Written by the roll-up of history only.
  metrics jsonb not null default '{}',
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  constraint creatives_offer foreign key (tenant_id, offer_id) references arbiter.offers (tenant_id, id),
  constraint creatives_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id),
  constraint creatives_placement foreign key (tenant_id, placement_id) references arbiter.placements (tenant_id, id),
  constraint creatives_content_item
    foreign key (tenant_id, content_item_id) references arbiter.content (tenant_id, id)
);
create unique index creatives_name on arbiter.creatives (tenant_id, name) where deleted_at is null;
create index creatives_offer on arbiter.creatives (tenant_id, offer_id) where deleted_at is null;
create index creatives_channel on arbiter.creatives (tenant_id, channel_id) where deleted_at is null;
create index creatives_placement on arbiter.creatives (tenant_id, placement_id) where deleted_at is null;
create index creatives_content_items on arbiter.creatives (tenant_id, content_item_id)
  where content_item_id is not null and deleted_at is null;
select arbiter.protect_table('arbiter.creatives');
select arbiter.keep_versions('arbiter.creatives', 'creative', omitted => '{metrics}');

create table arbiter.qualification_rules (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  rule_type text not null,
  config jsonb not null,
  priority integer not null default 50 check (priority between 0 and 100),
  stage text not null check (stage in ('eligibility', 'fit', 'match', 'ranking')),
  -- Assignments in order: [{ id, scope, scopeId, createdAt }]. Versioned and restored with the rule. Their targets are in
  -- several tables, so there is no foreign key.
  scopes jsonb not null,
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index qualification_rules_name on arbiter.qualification_rules (tenant_id, name) where deleted_at is null;
create index qualification_rules_order on arbiter.qualification_rules (tenant_id, priority desc, id desc);
create index qualification_rules_scopes on arbiter.qualification_rules using gin (scopes jsonb_path_ops);
select arbiter.protect_table('arbiter.qualification_rules');
select arbiter.keep_versions('arbiter.qualification_rules', 'qualificationRule');

create table arbiter.contact_policies (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  rule_type text not null,
  config jsonb not null,
  priority integer not null default 50 check (priority between 0 and 100),
  -- As in qualification_rules.
  scopes jsonb not null,
  version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index contact_policies_name on arbiter.contact_policies (tenant_id, name) where deleted_at is null;
create index contact_policies_order on arbiter.contact_policies (tenant_id, priority desc, id desc);
create index contact_policies_scopes on arbiter.contact_policies using gin (scopes jsonb_path_ops);
select arbiter.protect_table('arbiter.contact_policies');
select arbiter.keep_versions('arbiter.contact_policies', 'contactPolicy');

-- Named weights of the objectives that flows can rank by.
create table arbiter.ranking_profiles (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  key text not null check (key ~ '^[a-z0-9][a-z0-9_-]{0,99}$'),
  description text not null default '' check (char_length(description) <= 1000),
  weights jsonb not null check (jsonb_typeof(weights) = 'object'),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index ranking_profiles_name on arbiter.ranking_profiles (tenant_id, name) where deleted_at is null;
create unique index ranking_profiles_key on arbiter.ranking_profiles (tenant_id, key) where deleted_at is null;
select arbiter.protect_table('arbiter.ranking_profiles');
select arbiter.keep_versions('arbiter.ranking_profiles', 'rankingProfile');

-- Models that score offers.
create table arbiter.algorithm_models (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 10000),
  model_type text not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  predictors jsonb not null default '[]' check (jsonb_typeof(predictors) = 'array'),
  outcome_weights jsonb not null default '{}' check (jsonb_typeof(outcome_weights) = 'object'),
  auto_learn boolean not null default false,
  learn_mode text not null default 'none' check (learn_mode in ('none', 'scheduled', 'continuous')),
  -- Cron expression; when a model that learns on schedule is trained again.
  learn_schedule text,
  -- Schema whose rows it trains on, and the field with their label; null: recorded decisions and their outcomes.
  target_schema_key text,
  target_field text,
  learning_config jsonb not null default '{}' check (jsonb_typeof(learning_config) = 'object'),
  -- What this version started from; null: nothing. model_states has what it learned since.
  model_state jsonb check (jsonb_typeof(model_state) = 'object'),
  registry_status text not null default 'draft'
    check (registry_status in ('draft', 'shadow', 'challenger', 'champion', 'archived')),
  family text check (char_length(family) between 1 and 255),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create unique index algorithm_models_key on arbiter.algorithm_models (tenant_id, key) where deleted_at is null;
create unique index algorithm_models_champion on arbiter.algorithm_models (tenant_id, family)
  where deleted_at is null and registry_status = 'champion' and family is not null;
select arbiter.protect_table('arbiter.algorithm_models');
select arbiter.keep_versions('arbiter.algorithm_models', 'algorithmModel');

-- Compare models on customers who keep their variant.
create table arbiter.experiments (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  key text not null check (char_length(key) between 1 and 255),
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 10000),
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed', 'archived')),
  champion_model_id uuid not null,
  -- { championPct }
  traffic_split jsonb not null default '{"championPct": 80}' check (jsonb_typeof(traffic_split) = 'object'),
  -- [{ modelId, trafficPct }] in the order of their shares.
  challengers jsonb not null check (jsonb_typeof(challengers) = 'array'),
  holdout_percent double precision not null default 0 check (holdout_percent between 0 and 100),
  metric text not null default 'positive' check (char_length(metric) between 1 and 64),
  auto_promote boolean not null default false,
  promote_threshold double precision not null default 0.02 check (promote_threshold between 0 and 1),
  promote_after_days integer not null default 14 check (promote_after_days between 1 and 365),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- Null until the daily job has judged the experiment, and again when promote_after_days is extended.
  auto_promote_verdict text check (auto_promote_verdict in
    ('promoted', 'not_better', 'not_significant', 'sample_ratio_mismatch', 'guard')),
  -- The champion that was tested, once a challenger has taken its place.
  tested_champion_id uuid,
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, champion_model_id) references arbiter.algorithm_models (tenant_id, id)
);
comment on table arbiter.experiments is 'Experiments, which compare models.';
create unique index experiments_key on arbiter.experiments (tenant_id, key) where deleted_at is null;
create unique index experiments_running on arbiter.experiments (tenant_id, champion_model_id)
  where deleted_at is null and status = 'active';
select arbiter.protect_table('arbiter.experiments');
select arbiter.keep_versions('arbiter.experiments', 'experiment');

-- =====================================================================================================================
-- Decision flows
-- =====================================================================================================================

create table arbiter.decision_flows (
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  name text not null,
  description text not null default '',
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  auto_assembly boolean not null default true,
  is_default boolean not null default false,
  is_protected boolean not null default false,
  coupling_override text check (coupling_override in ('partial', 'atomic')),
  draft_config jsonb not null,
  -- Newest version in flow_versions; null before the first publish.
  published_version integer,
  row_version integer not null,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index decision_flows_key on arbiter.decision_flows (tenant_id, key) where deleted_at is null;
-- Never two defaults, whatever the race.
create unique index decision_flows_default on arbiter.decision_flows (tenant_id) where is_default and deleted_at is null;
create index decision_flows_order on arbiter.decision_flows (tenant_id, status, updated_at desc, id desc);
select arbiter.protect_table('arbiter.decision_flows');
select arbiter.keep_versions('arbiter.decision_flows', 'decisionFlow', counter => 'row_version');

-- Published versions. They never change: decisions, records and replays refer to them.
create table arbiter.flow_versions (
  tenant_id uuid not null,
  flow_id uuid not null,
  version integer not null check (version >= 1),
  config jsonb not null,
  notes text,
  published_at timestamptz not null,
  published_by text not null,
  primary key (tenant_id, flow_id, version),
  constraint flow_versions_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
select arbiter.protect_table('arbiter.flow_versions', 'insert_only');
select arbiter.keep_versions('arbiter.flow_versions', 'flowVersion', id_column => 'flow_id');

-- Header values and URL credentials of extension points. The config has bullets in their place, so that no draft, snapshot,
-- plan, record or audit row shows them. Sealed with DATA_ENCRYPTION_KEY.
create table arbiter.flow_secrets (
  tenant_id uuid not null,
  flow_id uuid not null,
  -- 0 for the draft, otherwise the published version.
  version integer not null check (version >= 0),
  node_id text not null,
  -- In the node's config: /url, or /headers/ and the name in lower case.
  path text not null,
  -- Scheme, host and port of the URL that the value was entered for. It is never sent elsewhere. Empty without a URL.
  origin text not null,
  sealed bytea not null,
  primary key (tenant_id, flow_id, version, node_id, path),
  constraint flow_secrets_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
select arbiter.protect_table('arbiter.flow_secrets');

-- What auto-assembly did to the draft of a flow, run by run. We keep the last 500 runs of a flow.
create table arbiter.flow_assembly_runs (
  tenant_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  trigger text not null check (trigger in (
    'offer.created', 'offer.updated', 'offer.status_changed', 'offer.deleted', 'offer.restored',
    'creative.created', 'creative.status_changed', 'bulk'
  )),
  -- The record that changed; null for several at once.
  entity_type text check (entity_type in ('offer', 'creative')),
  entity_id uuid,
  changes jsonb not null check (jsonb_typeof(changes) = 'array'),
  applied boolean not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, flow_id, id),
  check ((trigger = 'bulk') = (entity_id is null) and (entity_type is null) = (entity_id is null)),
  constraint flow_assembly_runs_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
comment on table arbiter.flow_assembly_runs is 'What auto-assembly did to the drafts of flows.';
select arbiter.protect_table('arbiter.flow_assembly_runs');

create table arbiter.flow_routes (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  -- Null: any channel. A route with a placement has the placement's channel.
  channel_id uuid,
  placement_id uuid check (placement_id is null or channel_id is not null),
  decision_flow_id uuid not null,
  priority integer not null default 0 check (priority between 0 and 1000),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id),
  foreign key (tenant_id, placement_id) references arbiter.placements (tenant_id, id),
  foreign key (tenant_id, decision_flow_id) references arbiter.decision_flows (tenant_id, id)
);
comment on table arbiter.flow_routes is 'Which flow runs for requests that name none, by channel and placement.';
-- One route per pair; null counts as a value.
create unique index flow_routes_placement_id on arbiter.flow_routes (tenant_id, placement_id, channel_id)
  nulls not distinct where deleted_at is null;
create index flow_routes_channel on arbiter.flow_routes (tenant_id, channel_id) where deleted_at is null;
create index flow_routes_flow on arbiter.flow_routes (tenant_id, decision_flow_id) where deleted_at is null;
select arbiter.protect_table('arbiter.flow_routes');
select arbiter.keep_versions('arbiter.flow_routes', 'flowRoute', 'version', 'id', '{}');

-- Decisions that a flow must make for fictional customers.
create table arbiter.decision_tests (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  decision_flow_id uuid not null,
  name text not null check (char_length(name) between 1 and 200),
  description text not null default '' check (char_length(description) <= 1000),
  given jsonb not null check (jsonb_typeof(given) = 'object'),
  expect jsonb not null check (jsonb_typeof(expect) = 'object'),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, decision_flow_id) references arbiter.decision_flows (tenant_id, id)
);
create unique index decision_tests_name on arbiter.decision_tests (tenant_id, decision_flow_id, name)
  where deleted_at is null;
select arbiter.protect_table('arbiter.decision_tests');
select arbiter.keep_versions('arbiter.decision_tests', 'decisionTest');

-- =====================================================================================================================
-- Customers
-- =====================================================================================================================

-- The lock of a customer and the source of truth for caps.
create table arbiter.customer_states (
  tenant_id uuid not null,
  customer_id text not null,
  -- The customer's name inside records: deleting this row makes them anonymous without touching a partition.
  ref uuid not null,
  -- Random part of the customer's data key (customer-keys.ts). Deleting it makes every sealed body unreadable.
  data_key bytea not null,
  -- Encoded by customer-state-codec.ts. Every decision updates it; no index covers it, so updates stay on their page.
  state bytea not null,
  -- Counts what is committed under the lock, which orders a customer's rows: number 17 was made from exactly the rows below
  -- 17 (docs/design/recording.md S5).
  customer_seq bigint not null default 0,
  -- Once a state is long, `state` holds what happened since `base` was written. PostgreSQL stores `base` outside the row and
  -- leaves it alone when an update doesn't name it (docs/adr/0022-history-order-and-split-states.md).
  base bytea,
  -- The customer's suppressions, here because decisions lock this row anyway; null: none
  -- (docs/adr/0028-suppressions-beside-the-state.md).
  suppressions jsonb
    check (suppressions is null or jsonb_typeof(suppressions) = 'array'),
  primary key (tenant_id, customer_id)
) with (fillfactor = 70);
alter table arbiter.customer_states alter column state set storage external;
alter table arbiter.customer_states alter column base set storage external;
-- Without the tenant, so that statements of decisions can't find a tenant's rows by it (docs/adr/0102). A ref is random.
create index customer_states_ref on arbiter.customer_states (ref);
select arbiter.protect_table('arbiter.customer_states');

create table arbiter.customer_suppressions (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  customer_id text not null,
  scope text not null check (scope in ('global', 'category', 'offer')),
  -- Offer or category id; `all` for scope global.
  scope_id text not null check ((scope = 'global') = (scope_id = 'all')),
  -- `manual`, or the type of the policy that wrote it.
  policy_type text not null,
  policy_id uuid check ((policy_id is null) = (policy_type = 'manual')),
  reason text not null,
  trigger_count integer not null check (trigger_count > 0),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Fingerprint of the policy's type, config and assignments. The row applies only while they are unchanged.
  policy_mark text
    check ((policy_mark is null) = (policy_id is null)),
  primary key (tenant_id, id)
);
comment on table arbiter.customer_suppressions is 'What keeps offers from customers, set by persons and by policies.';
create unique index customer_suppressions_of on arbiter.customer_suppressions
  (tenant_id, customer_id, scope, scope_id, policy_id) nulls not distinct;
-- Finds expired suppressions, oldest first. The condition is for the planner (docs/adr/0102).
create index customer_suppressions_expiry on arbiter.customer_suppressions (tenant_id, expires_at)
  where expires_at is not null;
select arbiter.protect_table('arbiter.customer_suppressions');

-- Erased customers. Events from before the erasure are rejected.
create table arbiter.customer_erasures (
  tenant_id uuid not null references arbiter.tenants (id),
  -- HMAC-SHA256 of the customer id with a key of the tenant; the id itself is no longer stored.
  customer_hash bytea not null check (octet_length(customer_hash) = 32),
  -- The process's clock. Older events are late.
  erased_at timestamptz(3) not null,
  -- The database's clock. Separates decisions that began before the erasure from those that began after it.
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, customer_hash)
);
comment on table arbiter.customer_erasures is 'Customers that were erased, by keyed hash.';
-- The condition is for the planner (docs/adr/0102).
create index customer_erasures_recorded on arbiter.customer_erasures (tenant_id, recorded_at)
  where recorded_at is not null;
select arbiter.protect_table('arbiter.customer_erasures');

-- =====================================================================================================================
-- Decisions
-- =====================================================================================================================

-- Plans, each stored once by the hash of its content: a head and the hashes of its pieces (docs/adr/0015).
create table arbiter.plans (
  tenant_id uuid not null,
  hash bytea not null,
  body bytea not null,
  created_at timestamptz not null,
  -- Plans and pieces are deleted when no record can refer to them (plans/plan-expiry.store.ts).
  config_version bigint not null,
  retired_at timestamptz,
  stored_at timestamptz not null,
  primary key (tenant_id, hash)
);
comment on column arbiter.plans.body is 'Raw-deflated RFC 8785 form: tenant, flow and the hashes of the pieces.';
alter table arbiter.plans alter column body set storage external;
select arbiter.protect_table('arbiter.plans');

-- A change of one offer among thousands writes one piece and a head.
create table arbiter.plan_pieces (
  tenant_id uuid not null,
  -- SHA-256 of the canonical content.
  hash bytea not null,
  -- Raw-deflated RFC 8785 form of part of a snapshot.
  body bytea not null,
  created_at timestamptz not null,
  -- At most a day older than the stored_at of any plan that refers to it.
  stored_at timestamptz not null,
  primary key (tenant_id, hash)
);
comment on table arbiter.plan_pieces is 'Parts of plans, each stored once by the hash of its content.';
alter table arbiter.plan_pieces alter column body set storage external;
select arbiter.protect_table('arbiter.plan_pieces');

-- The names of what decisions read about their customers, each list stored once by its hash.
create table arbiter.read_sets (
  tenant_id uuid not null,
  id bigint generated always as identity,
  -- SHA-256 of the canonical names.
  hash bytea not null,
  names jsonb not null check (jsonb_typeof(names) = 'object'),
  -- Newest catalogue version that decides with it.
  config_version bigint not null,
  -- When no process decided with it any more; null: one may.
  retired_at timestamptz,
  primary key (tenant_id, id)
);
comment on table arbiter.read_sets is 'Names of what decisions read of their customers, each list once.';
create unique index read_sets_hash on arbiter.read_sets (tenant_id, hash);
select arbiter.protect_table('arbiter.read_sets');

-- One sealed record per decision. id is the recommendationId, a UUIDv7 whose last byte is 0; item ids count on from it.
create table arbiter.decisions (
  tenant_id uuid not null,
  id uuid not null,
  -- Null when the server generated it: then it equals id.
  request_id uuid,
  customer_ref uuid not null,
  source text not null,
  decided_at timestamptz not null,
  flow_id uuid not null,
  flow_version integer,
  plan_hash bytea not null,
  config_version bigint not null,
  evidence_number bigint not null,
  engine_version text not null,
  item_count smallint not null,
  trace_id uuid,
  result_hash bytea not null,
  -- Inputs and result, packed, and encrypted with the customer's key.
  body bytea not null,
  -- The columns from here on hold no personal data: they stay when a customer is erased, and reports read them without
  -- decrypting (docs/adr/0020).
  -- Row of read_sets. Tells an absent value from one that was never read.
  read_set bigint,
  -- Numbered states of the tenant that the decision used.
  price_number bigint,
  counts_number bigint,
  -- The release whose arm decided (0: stable, 1: candidate), and the campaign run, journey or trigger that asked.
  release_id uuid,
  source_id uuid,
  -- The requested channel, or that of the first item.
  channel_id uuid,
  -- Time in the engine, microseconds.
  engine_us integer,
  -- Smallest selection probability of an item; null without items.
  min_probability real,
  arm smallint not null default 0,
  -- Why there is no item (sealed-records/empty-codes.ts); null with items.
  empty_code smallint,
  -- Whether exploration placed an item.
  explored boolean,
  customer_seq bigint,
  primary key (tenant_id, id)
) partition by range (id);
-- Empty and explored decisions are rare, so they have partial indexes that cost the others nothing
-- (docs/adr/0031-lists-read-plain-columns.md).
create index decisions_customer on arbiter.decisions (tenant_id, customer_ref, id);
create index decisions_flow on arbiter.decisions (tenant_id, flow_id, id);
create index decisions_empty on arbiter.decisions (tenant_id, empty_code, id) where empty_code is not null;
create index decisions_explored on arbiter.decisions (tenant_id, id) where explored;
select arbiter.protect_table('arbiter.decisions');
-- The maintenance job keeps three months ahead.
select arbiter.ensure_month_partitions('arbiter.decisions', date_trunc('month', now())::date, 4);

-- Requests with a client-generated id, and their answers. Records are partitioned by time, so they can't enforce uniqueness.
create table arbiter.decision_requests (
  tenant_id uuid not null,
  request_id uuid not null,
  decision_id uuid not null,
  customer_ref uuid not null,
  payload_hash bytea not null,
  -- The answer, encrypted with the customer's key.
  answer bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, request_id)
);
-- Oldest first, to delete requests whose records are gone.
create index decision_requests_age on arbiter.decision_requests (tenant_id, created_at);
select arbiter.protect_table('arbiter.decision_requests');

create table arbiter.decision_traces (
  tenant_id uuid not null,
  id uuid not null,
  decision_id uuid not null,
  request_id uuid not null,
  customer_id text not null,
  decision_flow_key text not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index decision_traces_customer on arbiter.decision_traces (tenant_id, customer_id, id);
create index decision_traces_request on arbiter.decision_traces (tenant_id, request_id);
create index decision_traces_flow on arbiter.decision_traces (tenant_id, decision_flow_key, id);
select arbiter.protect_table('arbiter.decision_traces');

-- Decisions in words. A cache: whatever is deleted here is written again.
create table arbiter.decision_narratives (
  tenant_id uuid not null,
  -- SHA-256 of tenant, trace, mode, model and inputs hash.
  cache_key bytea not null,
  trace_id uuid not null,
  customer_id text not null,
  model text not null,
  narrative jsonb not null,
  input_tokens integer not null,
  output_tokens integer not null,
  created_at timestamptz not null,
  primary key (tenant_id, cache_key),
  -- A narrative never outlives its trace.
  foreign key (tenant_id, trace_id) references arbiter.decision_traces (tenant_id, id) on delete cascade
);
create index decision_narratives_trace on arbiter.decision_narratives (tenant_id, trace_id);
create index decision_narratives_customer on arbiter.decision_narratives (tenant_id, customer_id);
create index decision_narratives_age on arbiter.decision_narratives (tenant_id, created_at);
select arbiter.protect_table('arbiter.decision_narratives');

-- A quantile of a histogram of durations. Bucket b, from 0, counts durations below 16 us * 2^(b/4); the last one counts the
-- rest. Unlike quantiles, histograms of several processes can be added.
create function arbiter.duration_quantile(buckets integer[], share double precision) returns integer
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  select round(16 * power(2, (bucket - 1) / 4.0))::integer
    from (select bucket, sum(n) over (order by bucket) as upto, sum(n) over () as whole
            from unnest(buckets) with ordinality as u(n, bucket)) counted
   where whole > 0 and upto >= share * whole
   order by bucket limit 1
$$;
grant execute on function arbiter.duration_quantile(integer[], double precision) to arbiter_app, arbiter_readonly;

-- Results per minute, flow and arm. Includes failures, which leave no record.
create table arbiter.decision_minutes (
  tenant_id uuid not null,
  minute timestamptz not null check (date_trunc('minute', minute) = minute),
  -- The nil UUID and version 0: failed before a flow was found.
  flow_id uuid not null,
  flow_version integer not null,
  arm smallint not null,
  decisions integer not null,
  empty integer not null,
  -- Failures by error code.
  errors jsonb not null check (jsonb_typeof(errors) = 'object'),
  candidates bigint not null,
  policy_blocked bigint not null,
  degraded integer not null,
  policy_errors bigint not null,
  compute_errors bigint not null,
  durations integer[] not null,
  p50_us integer generated always as (arbiter.duration_quantile(durations, 0.5)) stored,
  p99_us integer generated always as (arbiter.duration_quantile(durations, 0.99)) stored,
  primary key (tenant_id, minute, flow_id, flow_version, arm)
);
comment on table arbiter.decision_minutes is 'How decisions went, per minute, flow and arm; failures too.';
select arbiter.protect_table('arbiter.decision_minutes');
-- A start prepares the catalogues that decided last.
grant select (tenant_id, minute, decisions) on arbiter.decision_minutes to arbiter_system;
create policy system_activity on arbiter.decision_minutes for select to arbiter_system using (true);

-- Simulations over segments: request, progress and result.
create table arbiter.simulations (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  segment_id uuid not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  error text check ((error is null) = (status <> 'failed')),
  -- The request for each customer of the sample: place, attributes, seed, clock. json, because jsonb rejects NUL.
  question json not null check (json_typeof(question) = 'object'),
  -- The flow, and the one it is compared with, with their configs.
  flows json not null check (json_typeof(flows) = 'array'),
  sampled integer not null default 0 check (sampled >= 0),
  total integer not null default 0 check (total >= sampled),
  -- Results of the flows and their differences; null until completed.
  result json check ((result is null) = (status <> 'completed')),
  created_at timestamptz(3) not null,
  completed_at timestamptz(3) check ((completed_at is null) = (status = 'running')),
  duration_ms integer check ((duration_ms is null) = (completed_at is null)),
  -- The process that works on it, and until when its lease lasts; null: not started.
  holder uuid,
  lease_until timestamptz(3) check ((lease_until is null) = (holder is null)),
  primary key (tenant_id, id)
);
comment on table arbiter.simulations is 'Simulations over segments, kept for 30 days.';
select arbiter.protect_table('arbiter.simulations');

-- Long analyses of recorded decisions.
create table arbiter.studies (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null,
  flow_id uuid not null,
  -- json keeps the bytes of spec and result.
  spec json not null check (json_typeof(spec) = 'object'),
  -- SHA-256 of the canonical spec and the plans: the same question while the first one runs is refused.
  spec_hash bytea not null check (length(spec_hash) = 32),
  -- The plan that is judged, and the one that it is compared with; null: what each record says.
  candidate_hash bytea not null,
  base_hash bytea,
  base_config_version bigint not null,
  -- Which requests go to the flow; null: the study reads the flow's own decisions.
  routing json,
  -- Records stored later are left out.
  data_cut timestamptz(3) not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  error text check ((error is null) = (status <> 'failed')),
  judged integer not null default 0 check (judged >= 0),
  total integer not null default 0 check (total >= judged),
  -- True once the chunks are there.
  is_prepared boolean not null default false,
  result json check ((result is null) = (status <> 'completed')),
  -- Measured times. Not part of the result, which is the same bytes for the same question.
  load json,
  created_by text not null,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3) check ((completed_at is null) = (status in ('queued', 'running'))),
  expires_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.studies is 'Studies of recorded decisions, kept for 90 days.';
-- One running study of each tenant, and one check beside it.
create unique index studies_running on arbiter.studies (tenant_id, (kind = 'check')) where status = 'running';
create unique index studies_spec on arbiter.studies (tenant_id, spec_hash) where status in ('queued', 'running');
select arbiter.protect_table('arbiter.studies');

-- Parts of a study, each for whole customers.
create table arbiter.study_chunks (
  tenant_id uuid not null,
  study_id uuid not null,
  number integer not null check (number >= 0),
  -- The decisions, 16 bytes each: customer by customer, in the order of their ids. Empty once the study has ended.
  decision_ids bytea not null,
  -- The process that works on it, and until when its lease lasts; null: nobody.
  holder uuid,
  lease_until timestamptz(3) check ((lease_until is null) = (holder is null)),
  is_done boolean not null default false,
  -- Packed counts; null before the chunk is done and once the study has ended.
  partial bytea,
  -- Deflated lines of GET /studies/{id}/rows, and their number.
  row_lines bytea,
  row_count integer not null default 0,
  primary key (tenant_id, study_id, number),
  foreign key (tenant_id, study_id) references arbiter.studies (tenant_id, id) on delete cascade
);
comment on table arbiter.study_chunks is 'Parts of a study, leased to the process that works on them.';
select arbiter.protect_table('arbiter.study_chunks');

-- =====================================================================================================================
-- Interaction history
-- =====================================================================================================================

-- One row per returned item and per recorded outcome.
create table arbiter.interactions (
  tenant_id uuid not null,
  id uuid not null,
  customer_id text not null,
  interaction_type text not null check (interaction_type in ('recommendation', 'impression', 'response')),
  outcome_key text,
  classification text not null check (classification in ('positive', 'negative', 'neutral')),
  direction text not null check (direction in ('inbound', 'outbound')),
  is_conversion boolean not null default false,
  offer_id uuid,
  creative_id uuid,
  channel_id uuid,
  placement_id uuid,
  category_id uuid,
  recommendation_id uuid,
  rank smallint,
  campaign_id uuid,
  journey_id uuid,
  conversion_value numeric,
  currency text,
  context jsonb,
  attributes jsonb,
  details jsonb,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  -- For a recommendation on an explicit channel.
  reservation_state text check (reservation_state in ('open', 'confirmed', 'expired', 'released')),
  reservation_expires_at timestamptz,
  -- When the reservation was first settled, and by what.
  reservation_settled_at timestamptz,
  reservation_settled_by text check (reservation_settled_by in
    ('impression', 'response', 'not_presented', 'expired', 'release_failed', 'sweep')),
  -- How a report was matched; null for rows written by decisions.
  resolved_by text check (resolved_by in ('interaction', 'recommendation', 'creative', 'offer', 'import')),
  release_id uuid,
  -- Experiments that the decision was made under: [{ id, key, variant, share }]. Null: none, or no decision's row.
  experiments jsonb,
  customer_seq bigint,
  -- The customer_seq that ended the reservation: it doesn't count from there on.
  reservation_settled_seq bigint,
  primary key (tenant_id, id)
) partition by range (id);
-- The condition is for the planner (docs/adr/0102).
create index interactions_customer on arbiter.interactions (tenant_id, customer_id, id) where customer_id is not null;
-- Finds expired reservations without reading two days of history.
create index interactions_reserved on arbiter.interactions (tenant_id, reservation_expires_at)
  where reservation_state = 'open';
select arbiter.protect_table('arbiter.interactions');
-- The first six bytes of an id are the millisecond it was generated in; 600000 is `idsMayLagMs` (exports.service.ts). The
-- condition runs for every row, so it compares bytes, which is fast.
select arbiter.ensure_month_partitions('arbiter.interactions', date_trunc('month', now())::date, 4);

-- One row for all items that a decision showed on implicit channels. `id` is the decision's; item ids follow from it (the last
-- byte is the rank), as in interactions. An array is null when no item has a value, and has one element when all items share
-- it.
create table arbiter.decision_impressions (
  tenant_id uuid not null,
  id uuid not null,
  customer_id text not null,
  occurred_at timestamptz not null,
  offer_ids uuid[] not null,
  creative_ids uuid[],
  channel_ids uuid[],
  placement_ids uuid[],
  category_ids uuid[],
  -- Null: all items of the decision, 1, 2, 3 and so on. Otherwise the others were reserved and are in interactions.
  ranks smallint[],
  -- What the caller sent as context.
  context jsonb,
  -- Campaign whose run made the decision; null for all others.
  campaign_id uuid,
  release_id uuid,
  -- As in interactions.
  experiments jsonb,
  customer_seq bigint,
  primary key (tenant_id, id)
) partition by range (id);
-- The condition is for the planner (docs/adr/0102).
create index decision_impressions_customer on arbiter.decision_impressions (tenant_id, customer_id, id)
  where customer_id is not null;
select arbiter.protect_table('arbiter.decision_impressions');
select arbiter.ensure_month_partitions('arbiter.decision_impressions', date_trunc('month', now())::date, 4);

-- Every item and every report, one row each, wherever it is stored. `row_id` is the key of the stored row: bound it to read a
-- range of time (`row_id >= ...`), because the ids of packed items are computed and not indexed.
create view arbiter.interaction_history with (security_invoker = true) as
select tenant_id, id as row_id, id, customer_id, interaction_type, outcome_key, classification, direction, is_conversion,
  offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, campaign_id, journey_id,
  conversion_value, currency, context, attributes, details, occurred_at, created_at, reservation_state,
  reservation_expires_at, reservation_settled_at, reservation_settled_by, resolved_by, release_id, experiments,
  customer_seq, reservation_settled_seq
from arbiter.interactions
union all
select p.tenant_id, p.id, overlay(p.id::text placing lpad(to_hex(coalesce(p.ranks[i.place], i.place)), 2, '0') from 35)::uuid,
  p.customer_id, 'impression'::text, 'impression'::text, 'neutral'::text, 'outbound'::text, false, i.offer_id,
  case when cardinality(p.creative_ids) = 1 then p.creative_ids[1] else p.creative_ids[i.place] end,
  case when cardinality(p.channel_ids) = 1 then p.channel_ids[1] else p.channel_ids[i.place] end,
  case when cardinality(p.placement_ids) = 1 then p.placement_ids[1] else p.placement_ids[i.place] end,
  case when cardinality(p.category_ids) = 1 then p.category_ids[1] else p.category_ids[i.place] end,
  p.id, coalesce(p.ranks[i.place], i.place)::smallint, p.campaign_id, null::uuid, null::numeric, null::text, p.context,
  null::jsonb, null::jsonb, p.occurred_at, p.occurred_at, null::text, null::timestamptz, null::timestamptz, null::text,
  null::text, p.release_id, p.experiments, p.customer_seq, null::bigint
from arbiter.decision_impressions p cross join lateral unnest(p.offer_ids) with ordinality as i(offer_id, place);
grant select on arbiter.interaction_history to arbiter_app, arbiter_readonly;

-- Files of archived history: one part of a month each. The rows in a file are deleted only once it was read back
-- (docs/adr/0125).
create table arbiter.archived_parts (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null check (kind in ('decisions', 'interactions', 'impressions')),
  -- First day of the UTC month.
  month date not null,
  -- deleting: the file is right, and its rows are being deleted here. restored: the rows are here again, and the file is no
  -- longer read. removing: the file is deleted next.
  state text not null check (state in ('writing', 'deleting', 'archived', 'restoring', 'restored', 'removing')),
  first_id uuid,
  last_id uuid,
  rows integer not null default 0,
  bytes bigint not null default 0,
  sha256 bytea,
  -- Over the rows as they are read.
  rows_sha256 bytea,
  -- Zone of the days into which the rows were summed.
  zone text not null,
  -- Rows of the file that don't count: they changed or were erased before they were deleted here.
  excluded uuid[] not null default '{}',
  -- Whether an export had written the rows before.
  exported boolean not null default false,
  -- Groups of rows that `deleting` or `restoring` is done with.
  done_groups integer not null default 0,
  created_at timestamptz not null,
  archived_at timestamptz,
  verified_at timestamptz,
  restored_at timestamptz,
  -- What the last verification found; null: nothing.
  problem text,
  primary key (tenant_id, id)
);
create index archived_parts_month on arbiter.archived_parts (tenant_id, kind, month);
comment on table arbiter.archived_parts is 'Files of archived months of history.';
select arbiter.protect_table('arbiter.archived_parts');

-- Names and keys of customers in archived history. Deleting a row makes the customer's history in all files anonymous and
-- what is sealed of it unreadable, while records keep their own key (docs/adr/0126).
create table arbiter.archived_customers (
  tenant_id uuid not null references arbiter.tenants (id),
  customer_id text not null,
  ref uuid not null,
  -- As in customer_states.
  data_key bytea not null,
  -- The newest month whose files name the customer.
  last_month date not null,
  primary key (tenant_id, customer_id)
);
create unique index archived_customers_ref on arbiter.archived_customers (tenant_id, ref);
comment on table arbiter.archived_customers is 'What archived history calls customers, and their keys.';
select arbiter.protect_table('arbiter.archived_customers');

-- Keys of responses, explicit and derived, kept for 7 days.
create table arbiter.response_keys (
  tenant_id uuid not null,
  key_hash bytea not null,
  payload_hash bytea not null,
  customer_id text not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, key_hash)
);
-- The condition is for the planner (docs/adr/0102).
create index response_keys_age on arbiter.response_keys (tenant_id, created_at) where created_at is not null;
select arbiter.protect_table('arbiter.response_keys');

-- What retention removed from a customer's history, by local day.
create table arbiter.interaction_summaries (
  tenant_id uuid not null,
  customer_id text not null,
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null,
  impressions integer not null,
  positive integer not null,
  negative integer not null,
  neutral integer not null,
  converts integer not null,
  total_value numeric not null,
  last_contact_at timestamptz,
  last_outcome_key text,
  last_outcome_at timestamptz,
  clicks integer not null default 0,
  constraint interaction_summaries_identity
    unique nulls not distinct (tenant_id, customer_id, day, offer_id, creative_id, channel_id, direction)
) with (fillfactor = 90);
select arbiter.protect_table('arbiter.interaction_summaries');

-- Totals of a tenant by day.
create table arbiter.daily_totals (
  tenant_id uuid not null,
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null check (direction in ('inbound', 'outbound')),
  impressions integer not null,
  positive integer not null,
  negative integer not null,
  neutral integer not null,
  converts integer not null,
  total_value numeric not null,
  clicks integer not null default 0,
  constraint daily_totals_identity
    unique nulls not distinct (tenant_id, day, offer_id, creative_id, channel_id, direction)
) with (fillfactor = 70);
create index daily_totals_creative on arbiter.daily_totals (tenant_id, creative_id) where creative_id is not null;
select arbiter.protect_table('arbiter.daily_totals');

-- The share of erased customers in daily_totals, for recounting those from history
-- (docs/adr/0038-import-and-erasure.md).
create table arbiter.erased_totals (
  tenant_id uuid not null references arbiter.tenants (id),
  day date not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  direction text not null,
  impressions bigint not null,
  positive bigint not null,
  negative bigint not null,
  neutral bigint not null,
  clicks bigint not null,
  converts bigint not null,
  total_value numeric not null,
  constraint erased_totals_identity unique nulls not distinct (tenant_id, day, offer_id, creative_id, channel_id, direction)
);
comment on table arbiter.erased_totals is 'What erased customers count in the figures of their tenant, by day.';
select arbiter.protect_table('arbiter.erased_totals');

-- Keys of imported lines, kept forever: importing a file again adds nothing.
create table arbiter.import_keys (
  tenant_id uuid not null references arbiter.tenants (id),
  -- HMAC-SHA256 with a key of the tenant, because a key may contain a customer id.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  primary key (tenant_id, key_hash)
);
comment on table arbiter.import_keys is 'Keyed hashes of the keys of imported lines.';
select arbiter.protect_table('arbiter.import_keys');

-- One row per batch of events. The dispatcher assigns its position, so that readers never miss a late commit.
create table arbiter.outbox (
  tenant_id uuid not null,
  id bigint generated always as identity,
  -- A JSON array. Text, because the database never looks inside.
  events text not null,
  created_at timestamptz not null,
  -- Null while pending.
  position bigint,
  -- History rows of the batch that the roll-up counts, which makes the outbox its commit-safe cursor.
  item_ids uuid[] not null default '{}',
  -- Impressions by lane (offer, creative, channel), for the totals and for the batch's events, which refer to lanes by index.
  -- A single channel applies to all lanes.
  lane_offers uuid[] not null default '{}',
  lane_creatives uuid[] not null default '{}',
  lane_channels uuid[] not null default '{}',
  lane_impressions integer[] not null default '{}',
  primary key (tenant_id, id)
);
-- Ids don't compress.
alter table arbiter.outbox alter column item_ids set storage external;
-- Mostly random bytes: compressing costs more than it saves.
alter table arbiter.outbox
  alter column events set storage external,
  alter column lane_offers set storage external,
  alter column lane_creatives set storage external,
  alter column lane_channels set storage external,
  alter column lane_impressions set storage external;
create unique index outbox_stream on arbiter.outbox (tenant_id, position) where position is not null;
-- A tenant's pending rows, oldest first.
create index outbox_pending on arbiter.outbox (tenant_id, id) where position is null;
select arbiter.protect_table('arbiter.outbox');
-- The dispatcher looks for pending rows across tenants.
grant select (tenant_id, id, position, created_at) on arbiter.outbox to arbiter_system;
create policy system_pending on arbiter.outbox for select to arbiter_system using (position is null);

-- Tells every node that a tenant's stream has grown, for open event streams (docs/adr/0027-one-address-for-events.md).
create function arbiter.notify_stream() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('arbiter_stream', new.tenant_id::text);
  return null;
end
$$;

create table arbiter.stream_heads (
  tenant_id uuid not null primary key,
  position bigint not null
);
select arbiter.protect_table('arbiter.stream_heads');
create trigger stream_grown after insert or update on arbiter.stream_heads
  for each row execute function arbiter.notify_stream();

-- =====================================================================================================================
-- What decisions learn from: evidence, counts, volumes and models
-- =====================================================================================================================

-- Evidence is a numbered state. A change takes its number under the head's lock, so numbers follow the order of commits.
create table arbiter.evidence_heads (
  tenant_id uuid not null primary key,
  number bigint not null
);
select arbiter.protect_table('arbiter.evidence_heads');

create table arbiter.evidence_changes (
  tenant_id uuid not null,
  number bigint not null,
  offer_id uuid not null,
  category_id uuid,
  positives integer not null,
  negatives integer not null,
  channel_id uuid,
  primary key (tenant_id, number)
);
select arbiter.protect_table('arbiter.evidence_changes');

create table arbiter.evidence_snapshots (
  tenant_id uuid not null,
  number bigint not null,
  body jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, number)
);
select arbiter.protect_table('arbiter.evidence_snapshots');

-- Counts behind the ranking objectives: a numbered state that decisions keep in memory and name in their records.
create table arbiter.objective_counts (
  tenant_id uuid not null references arbiter.tenants (id),
  number bigint not null check (number > 0),
  -- True: the whole state. False: offers that changed or were removed since the previous number.
  is_whole boolean not null,
  body jsonb not null,
  made_at timestamptz not null,
  -- When the state was last compared with history.
  checked_at timestamptz not null,
  primary key (tenant_id, number)
);
comment on table arbiter.objective_counts is 'Numbered states of what ranking objectives count, by offer.';
create index objective_counts_whole on arbiter.objective_counts (tenant_id, number) where is_whole;
select arbiter.protect_table('arbiter.objective_counts');

-- Impressions and costs over all customers, for everything that a plan limits or counts. The row of a category is only a lock
-- for comparing the sum of its offers with a limit.
create table arbiter.volumes (
  tenant_id uuid not null references arbiter.tenants (id),
  kind text not null check (kind in ('category', 'channel', 'creative', 'global', 'offer', 'subcategory')),
  -- The nil UUID for kind global.
  subject_id uuid not null,
  impressions bigint not null,
  spent_cents bigint not null,
  -- Figures of the day of day_at.
  day_impressions bigint not null,
  day_spent_cents bigint not null,
  day_at timestamptz not null,
  primary key (tenant_id, kind, subject_id)
) with (fillfactor = 50);
comment on table arbiter.volumes is 'Impressions, open reservations among them, and booked costs over all customers.';
select arbiter.protect_table('arbiter.volumes');

-- Open reservations that the volumes include, so that expired ones can be returned.
create table arbiter.volume_reservations (
  tenant_id uuid not null references arbiter.tenants (id),
  item_id uuid not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid,
  cost_cents bigint not null,
  reserved_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, item_id)
);
comment on table arbiter.volume_reservations is 'Reservations that are counted in volumes until they are settled or run out.';
-- The condition is for the planner (docs/adr/0102).
create index volume_reservations_due on arbiter.volume_reservations (tenant_id, expires_at)
  where expires_at is not null;
select arbiter.protect_table('arbiter.volume_reservations');

-- The secrets of models that ask another server. The config has bullets in their place. Sealed with DATA_ENCRYPTION_KEY.
create table arbiter.model_secrets (
  tenant_id uuid not null,
  model_id uuid not null,
  -- Scheme, host and port of the URL that the secret was entered for. It is never sent elsewhere.
  origin text not null,
  sealed bytea not null,
  primary key (tenant_id, model_id),
  foreign key (tenant_id, model_id) references arbiter.algorithm_models (tenant_id, id) on delete cascade
);
select arbiter.protect_table('arbiter.model_secrets');
revoke select on arbiter.model_secrets from arbiter_readonly;

-- What a model has learned. Separate from the model, because every response changes it and every change of a model is a
-- version of the catalogue. Decisions use `published_hash`, which is updated at most every ten seconds.
create table arbiter.model_states (
  tenant_id uuid not null,
  model_id uuid not null,
  state jsonb not null,
  state_version bigint not null default 1 check (state_version > 0),
  samples bigint not null default 0 check (samples >= 0),
  -- Position in the stream that it has learned up to.
  learned_to bigint not null check (learned_to >= 0),
  -- Impressions without a response are counted up to this instant.
  silent_to timestamptz(3) not null,
  learned_at timestamptz(3),
  published_hash bytea check (octet_length(published_hash) = 32),
  published_version bigint not null default 0,
  published_at timestamptz(3),
  primary key (tenant_id, model_id),
  foreign key (tenant_id, model_id) references arbiter.algorithm_models (tenant_id, id)
);
comment on table arbiter.model_states is 'What models have learned.';
select arbiter.protect_table('arbiter.model_states');

-- States that decisions used, each stored once by its hash, for as long as records refer to them.
create table arbiter.model_state_bodies (
  tenant_id uuid not null references arbiter.tenants (id),
  hash bytea not null check (octet_length(hash) = 32),
  -- Raw-deflated canonical form.
  body bytea not null,
  -- When a deciding process last read it.
  used_at timestamptz(3) not null,
  primary key (tenant_id, hash)
);
comment on table arbiter.model_state_bodies is 'States of models that decisions were made with.';
select arbiter.protect_table('arbiter.model_state_bodies');

-- Which learning models scored a decision, so that its outcomes train them. No customer data.
create table arbiter.model_decisions (
  tenant_id uuid not null references arbiter.tenants (id),
  decision_id uuid not null,
  model_id uuid not null,
  made_at timestamptz(3) not null,
  primary key (tenant_id, decision_id, model_id)
);
comment on table arbiter.model_decisions is 'Decisions that were scored by models that learn.';
create index model_decisions_made on arbiter.model_decisions (tenant_id, model_id, made_at);
select arbiter.protect_table('arbiter.model_decisions');

-- Trainings of models, the newest 50 of each.
create table arbiter.model_trainings (
  tenant_id uuid not null,
  id uuid not null,
  model_id uuid not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  -- Version of the model that was trained; the seed follows from it.
  model_version integer not null check (model_version > 0),
  -- What it trains on; a null schema means recorded decisions and their outcomes.
  rows_from timestamptz(3),
  rows_to timestamptz(3) not null,
  schema_id uuid,
  target_field text,
  params jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
  -- True: success makes the model active. For demo data.
  activates boolean not null default false,
  progress double precision not null default 0 check (progress between 0 and 1),
  error text,
  -- Version that the training made, with its metrics, number of rows, and how their values were distributed.
  trained_version integer,
  metrics jsonb check (jsonb_typeof(metrics) = 'object'),
  samples bigint check (samples >= 0),
  distribution jsonb check (jsonb_typeof(distribution) = 'object'),
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, model_id) references arbiter.algorithm_models (tenant_id, id)
);
comment on table arbiter.model_trainings is 'Trainings of models.';
create index model_trainings_model on arbiter.model_trainings (tenant_id, model_id, created_at desc);
-- One at a time.
create unique index model_trainings_open on arbiter.model_trainings (tenant_id, model_id)
  where status in ('queued', 'running');
select arbiter.protect_table('arbiter.model_trainings');
-- Variants that customers were assigned. Decisions read and write them with the customer's state.
create table arbiter.experiment_assignments (
  tenant_id uuid not null references arbiter.tenants (id),
  customer_id text not null,
  experiment_id uuid not null,
  variant text not null,
  -- Share of customers that got this variant then, 0 to 1.
  share double precision not null check (share between 0 and 1),
  assigned_at timestamptz(3) not null,
  -- An assignment ends 30 days after its last use. Every use updates it; no index covers it, so updates stay on their page.
  used_at timestamptz(3) not null,
  primary key (tenant_id, customer_id, experiment_id)
) with (fillfactor = 80);
comment on table arbiter.experiment_assignments is 'Variants of experiments that customers were assigned.';
select arbiter.protect_table('arbiter.experiment_assignments');

-- The first counted impression of each customer under an experiment: what its results count, so it outlives the assignment.
create table arbiter.experiment_exposures (
  tenant_id uuid not null references arbiter.tenants (id),
  experiment_id uuid not null,
  customer_id text not null,
  variant text not null,
  exposed_at timestamptz(3) not null,
  primary key (tenant_id, experiment_id, customer_id)
);
comment on table arbiter.experiment_exposures is 'Customers who saw something under an experiment.';
create index experiment_exposures_customer on arbiter.experiment_exposures (tenant_id, customer_id);
create index experiment_exposures_age on arbiter.experiment_exposures (tenant_id, exposed_at);
select arbiter.protect_table('arbiter.experiment_exposures');

-- =====================================================================================================================
-- Export of history
-- =====================================================================================================================

-- Progress of the export of a tenant's history (docs/adr/0056-exports-remember-what-they-have-written.md).
create table arbiter.export_checkpoints (
  tenant_id uuid primary key references arbiter.tenants (id),
  -- Every row below this id has been exported, and none can still be committed.
  low_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- What low_id may be raised to once every transaction below this transaction id has ended.
  next_low_id uuid,
  next_low_xid numeric(20),
  -- The batch whose file may be incomplete: its rows, and for each how many items were exported before and with it.
  pending_at timestamptz(3),
  pending_rows uuid[],
  pending_from smallint[],
  pending_items smallint[],
  status text not null default 'ok' check (status in ('ok', 'failed')),
  -- An error code or the kind of failure, when status is failed.
  error text,
  -- Epoch ms in the name of the newest file; the next one is later.
  last_file_at timestamptz(3),
  exported_at timestamptz(3),
  check ((pending_rows is null) = (pending_at is null)),
  check (cardinality(pending_rows) = cardinality(pending_from) and cardinality(pending_rows) = cardinality(pending_items))
);
comment on table arbiter.export_checkpoints is 'How far the export of interaction history has come.';
select arbiter.protect_table('arbiter.export_checkpoints');
-- Metrics count failing exports across tenants.
create policy system_access on arbiter.export_checkpoints for select to arbiter_system using (true);
grant select (status, error) on arbiter.export_checkpoints to arbiter_system;

-- Exported rows from low_id on, with the number of items exported.
create table arbiter.exported_rows (
  tenant_id uuid not null references arbiter.tenants (id),
  row_id uuid not null,
  items smallint not null check (items > 0),
  primary key (tenant_id, row_id)
);
comment on table arbiter.exported_rows is 'Newest rows of interaction history that were exported already.';
select arbiter.protect_table('arbiter.exported_rows');

-- Erased customers that export files may still contain. Deleted when the files are rewritten.
create table arbiter.export_erasures (
  tenant_id uuid not null references arbiter.tenants (id),
  -- As in customer_erasures.
  customer_hash bytea not null check (octet_length(customer_hash) = 32),
  erased_at timestamptz(3) not null,
  primary key (tenant_id, customer_hash)
);
comment on table arbiter.export_erasures is 'Erased customers whom export files may still name, by keyed hash.';
select arbiter.protect_table('arbiter.export_erasures');

-- Rows of history that were written long after their id was generated, by a process that stalled or whose clock is wrong. The
-- export follows the ids and doesn't go back, so the transaction that writes such a row notes it here.
create table arbiter.export_late_rows (
  -- No foreign key, as in history itself.
  tenant_id uuid not null,
  row_id uuid not null,
  primary key (tenant_id, row_id)
);
comment on table arbiter.export_late_rows is 'Rows of interaction history that were written long after their ids were made, and are not exported yet.';
select arbiter.protect_table('arbiter.export_late_rows');

create function arbiter.note_late_history() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into arbiter.export_late_rows (tenant_id, row_id) values (new.tenant_id, new.id) on conflict do nothing;
  return null;
end
$$;

create trigger note_late_history after insert on arbiter.interactions for each row
  when (uuid_send(new.id) < substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint - 600000) from 3))
  execute function arbiter.note_late_history();
create trigger note_late_history after insert on arbiter.decision_impressions for each row
  when (uuid_send(new.id) < substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint - 600000) from 3))
  execute function arbiter.note_late_history();

-- =====================================================================================================================
-- Journeys
-- =====================================================================================================================

create table arbiter.journeys (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 2000),
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  definition jsonb not null check (jsonb_typeof(definition) = 'object'),
  entry_condition jsonb,
  max_duration_days integer not null default 30 check (max_duration_days between 1 and 365),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.journeys is 'Steps that customers take over days or weeks.';
create unique index journeys_name on arbiter.journeys (tenant_id, name) where deleted_at is null;
select arbiter.protect_table('arbiter.journeys');
select arbiter.keep_versions('arbiter.journeys', 'journey');

create table arbiter.journey_enrollments (
  tenant_id uuid not null,
  id uuid not null,
  journey_id uuid not null,
  journey_version integer not null,
  customer_id text not null,
  status text not null check (status in ('active', 'waiting', 'completed', 'exited', 'failed', 'expired')),
  -- Null once it has ended.
  current_node_id text,
  -- Number of the next step. With the node, the key that makes a step's effects happen once.
  visit integer not null,
  resume_at timestamptz(3),
  until_event text,
  -- The event of the wait has arrived.
  is_woken boolean not null default false,
  -- When the tick enqueues the next step. Null while a job owns the enrollment, and once it has ended.
  due_at timestamptz(3),
  expires_at timestamptz(3) not null,
  context jsonb not null check (jsonb_typeof(context) = 'object'),
  -- Decisions of the path, by resultKey. Separate, so that no context of a caller can pass for one.
  results jsonb not null default '{}' check (jsonb_typeof(results) = 'object'),
  -- How many triggers led here, one causing the next.
  depth integer not null default 0,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  exit_reason text,
  primary key (tenant_id, id),
  foreign key (tenant_id, journey_id) references arbiter.journeys (tenant_id, id)
);
comment on table arbiter.journey_enrollments is 'Customers in journeys.';
create index journey_enrollments_journey on arbiter.journey_enrollments (tenant_id, journey_id, id);
create index journey_enrollments_customer on arbiter.journey_enrollments (tenant_id, customer_id);
create index journey_enrollments_ended on arbiter.journey_enrollments (tenant_id, ended_at) where ended_at is not null;
create index journey_enrollments_until on arbiter.journey_enrollments (tenant_id, until_event) where until_event is not null;
-- The tick finds tenants with work across all of them.
create index journey_enrollments_due on arbiter.journey_enrollments (due_at) where due_at is not null;
select arbiter.protect_table('arbiter.journey_enrollments');
grant select (tenant_id, due_at) on arbiter.journey_enrollments to arbiter_system;
create policy system_due on arbiter.journey_enrollments for select to arbiter_system using (due_at is not null);

-- What each step did. The key makes it happen once, whoever repeats it.
create table arbiter.journey_steps (
  tenant_id uuid not null,
  enrollment_id uuid not null,
  visit integer not null,
  node_id text not null,
  journey_id uuid not null,
  node_type text not null,
  result text not null,
  detail jsonb,
  at timestamptz(3) not null,
  primary key (tenant_id, enrollment_id, visit, node_id),
  foreign key (tenant_id, enrollment_id) references arbiter.journey_enrollments (tenant_id, id) on delete cascade
);
create index journey_steps_node on arbiter.journey_steps (tenant_id, journey_id, node_id);
select arbiter.protect_table('arbiter.journey_steps');

-- =====================================================================================================================
-- Deliveries
-- =====================================================================================================================

-- No foreign keys to catalogue records and to what queued the message: a delivery outlives them. Neither address nor
-- content is stored; both are read when the message is sent.
create table arbiter.deliveries (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  customer_id text not null,
  offer_id uuid not null,
  creative_id uuid,
  channel_id uuid not null,
  source text not null check (source in ('campaign', 'journey', 'trigger')),
  campaign_id uuid,
  run_id uuid,
  journey_id uuid,
  trigger_id uuid,
  recommendation_id uuid,
  -- What makes a message be queued once, whoever repeats the step that queues it.
  effect_key uuid not null,
  guarantee text not null check (guarantee in ('at_most_once', 'at_least_once')),
  provider text check (provider in ('ses', 'smtp', 'sendgrid', 'twilio', 'whatsapp_cloud', 'fcm', 'webhook')),
  provider_message_id text check (char_length(provider_message_id) between 1 and 512),
  status text not null check (status in ('queued', 'sent', 'delivered', 'opened', 'clicked', 'failed', 'bounced')),
  error text check (char_length(error) <= 200),
  tries integer not null default 0 check (tries >= 0),
  -- Set while a try is under way. Left by a process that ended: nobody knows whether the provider took the message.
  trying_since timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.deliveries is 'Messages to customers, with what became of them.';
-- Plans made on young tables may read all rows of a tenant through an index that begins with it (docs/adr/0102).
create unique index deliveries_effect on arbiter.deliveries (effect_key, tenant_id);
create index deliveries_customer on arbiter.deliveries (tenant_id, customer_id) where customer_id is not null;
create index deliveries_run on arbiter.deliveries (tenant_id, run_id, status) where run_id is not null;
create index deliveries_queued on arbiter.deliveries (tenant_id, created_at) where status = 'queued';
create index deliveries_age on arbiter.deliveries (tenant_id, updated_at) where updated_at is not null;
-- Providers name messages by their ids alone, so webhooks look for them across tenants.
create index deliveries_message on arbiter.deliveries (provider_message_id) where provider_message_id is not null;
select arbiter.protect_table('arbiter.deliveries');
grant select (tenant_id, id, channel_id, provider, provider_message_id) on arbiter.deliveries to arbiter_system;
create policy system_messages on arbiter.deliveries for select to arbiter_system
  using (provider_message_id is not null);

-- What providers reported.
create table arbiter.delivery_events (
  tenant_id uuid not null,
  delivery_id uuid not null,
  -- The provider's id of the event, else the event itself: counted once however often it comes.
  dedupe_key text not null check (char_length(dedupe_key) between 1 and 300),
  id uuid not null,
  event text not null check (event in ('delivered', 'opened', 'clicked', 'failed', 'bounced')),
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  reason text check (char_length(reason) <= 500),
  event_id text check (char_length(event_id) <= 255),
  primary key (tenant_id, delivery_id, dedupe_key),
  foreign key (tenant_id, delivery_id) references arbiter.deliveries (tenant_id, id) on delete cascade
);
comment on table arbiter.delivery_events is 'Events that providers reported about deliveries.';
select arbiter.protect_table('arbiter.delivery_events');

-- Events whose message id no delivery has yet: a provider may report before the id that it returned is stored. Applied when it
-- is, deleted after an hour. They hold nothing about a customer, and belong to the installation until then.
create table arbiter.early_delivery_events (
  -- The id of no tenant.
  tenant_id uuid not null default '00000000-0000-0000-0000-000000000000',
  message_id text not null check (char_length(message_id) between 1 and 512),
  dedupe_key text not null check (char_length(dedupe_key) between 1 and 300),
  event text not null check (event in ('delivered', 'opened', 'clicked', 'failed', 'bounced')),
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  reason text check (char_length(reason) <= 500),
  event_id text check (char_length(event_id) <= 255),
  primary key (tenant_id, message_id, dedupe_key)
);
comment on table arbiter.early_delivery_events is 'Events that providers reported before the message id was stored.';
create index early_delivery_events_message on arbiter.early_delivery_events (message_id);
create index early_delivery_events_age on arbiter.early_delivery_events (received_at);
select arbiter.protect_table('arbiter.early_delivery_events');
revoke all on arbiter.early_delivery_events from arbiter_app, arbiter_readonly;
select arbiter.open_to_system('arbiter.early_delivery_events', 'select, insert, delete');

-- Subscriptions of Amazon SNS that were confirmed, by a hash of topic and token. They belong to the installation.
create table arbiter.webhook_subscriptions (
  -- The id of no tenant.
  tenant_id uuid not null default '00000000-0000-0000-0000-000000000000',
  id text not null,
  confirmed_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
select arbiter.protect_table('arbiter.webhook_subscriptions');
revoke all on arbiter.webhook_subscriptions from arbiter_app, arbiter_readonly;
select arbiter.open_to_system('arbiter.webhook_subscriptions', 'select, insert');

-- =====================================================================================================================
-- Campaigns
-- =====================================================================================================================

create table arbiter.campaigns (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null check (char_length(description) <= 2000),
  status text not null check (status in ('draft', 'active', 'paused', 'archived')),
  decision_flow_id uuid not null,
  segment_id uuid not null,
  schedule_type text not null check (schedule_type in ('manual', 'daily', 'weekly', 'monthly')),
  schedule_day_of_week smallint check (schedule_day_of_week between 0 and 6),
  schedule_day_of_month text,
  schedule_time text not null,
  schedule_timezone text not null,
  schedule_cron text,
  frequency_caps jsonb check (jsonb_typeof(frequency_caps) = 'object'),
  file_config jsonb check (jsonb_typeof(file_config) = 'object'),
  channel_ids uuid[] not null,
  delivery_guarantee text not null check (delivery_guarantee in ('at_most_once', 'at_least_once')),
  -- Null if it isn't active, or runs only when started.
  next_run_at timestamptz(3),
  last_skip_at timestamptz(3),
  last_skip_reason text check ((last_skip_reason is null) = (last_skip_at is null)),
  -- Number of the newest run.
  run_count integer not null default 0 check (run_count >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.campaigns is 'Decisions for all members of a segment, on a schedule or when started.';
create index campaigns_segment on arbiter.campaigns (tenant_id, segment_id);
-- The tick finds due campaigns across all tenants.
create index campaigns_due on arbiter.campaigns (next_run_at) where next_run_at is not null;
select arbiter.protect_table('arbiter.campaigns');
grant select (tenant_id, id, next_run_at) on arbiter.campaigns to arbiter_system;
create policy system_due on arbiter.campaigns for select to arbiter_system using (next_run_at is not null);

-- A run keeps everything that it was started with: later changes to the campaign don't affect it.
create table arbiter.campaign_runs (
  tenant_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  run_number integer not null check (run_number > 0),
  triggered_by text not null check (triggered_by in ('manual', 'schedule', 'inline')),
  triggered_by_user_id uuid,
  status text not null check (status in ('pending', 'running', 'completed', 'completed_with_errors', 'failed')),
  error_code text,
  error_message text check ((error_message is null) = (error_code is null)),
  decision_flow_id uuid not null,
  decision_flow_version integer,
  segment_id uuid not null,
  -- Of the campaign until the run starts, then those that it uses.
  channel_ids uuid[] not null,
  frequency_caps jsonb,
  file_config jsonb,
  delivery_guarantee text not null check (delivery_guarantee in ('at_most_once', 'at_least_once')),
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  -- Raised by each job that takes the run. A chunk of an earlier one can't commit.
  token integer not null default 0,
  total_customers integer not null default 0,
  -- Place of the first member whose messages aren't queued yet.
  queued_place integer not null default 0,
  -- Place of the first member without a result: the checkpoint.
  next_place integer not null default 0 check (next_place <= total_customers),
  decided_customers integer not null default 0,
  empty_customers integer not null default 0,
  failed_customers integer not null default 0,
  skipped_customers integer not null default 0,
  skipped_by_caps integer not null default 0,
  total_items integer not null default 0,
  -- Items so far, by id.
  offer_counts jsonb not null default '{}',
  channel_counts jsonb not null default '{}',
  is_capped boolean not null default false,
  file_path text,
  primary key (tenant_id, id),
  unique (tenant_id, campaign_id, run_number),
  foreign key (tenant_id, campaign_id) references arbiter.campaigns (tenant_id, id) on delete cascade,
  check ((completed_at is null) = (status in ('pending', 'running')))
);
comment on table arbiter.campaign_runs is 'Runs of campaigns with their progress.';
-- The condition is for the planner (docs/adr/0102).
create index campaign_runs_age on arbiter.campaign_runs (tenant_id, created_at) where created_at is not null;
select arbiter.protect_table('arbiter.campaign_runs');

-- The members of the segment when a run started, in the order in which it decides. Deleted when the run ends.
create table arbiter.campaign_members (
  tenant_id uuid not null,
  run_id uuid not null,
  place integer not null,
  customer_id text not null,
  -- No foreign key to the run: it would lock the run once per row.
  primary key (tenant_id, run_id, place)
);
-- The condition is for the planner (docs/adr/0102).
create index campaign_members_customer on arbiter.campaign_members (tenant_id, customer_id) where customer_id is not null;
select arbiter.protect_table('arbiter.campaign_members');

create table arbiter.campaign_results (
  tenant_id uuid not null,
  run_id uuid not null,
  place integer not null,
  customer_id text not null,
  status text not null check (status in ('decided', 'empty', 'skipped', 'failed')),
  skip_reason text check ((skip_reason is null) = (status <> 'skipped')),
  request_id uuid,
  decision_id uuid,
  -- Items by rank. Offers and names are in campaign_run_items.
  items json,
  error text,
  processed_at timestamptz(3) not null,
  primary key (tenant_id, run_id, place)
);
comment on table arbiter.campaign_results is 'Results of campaign runs, one row per customer.';
create index campaign_results_customer on arbiter.campaign_results (tenant_id, customer_id);
select arbiter.protect_table('arbiter.campaign_results');

-- What the items of a run's results refer to, by a hash of `item`: most customers get the same offers.
create table arbiter.campaign_run_items (
  tenant_id uuid not null,
  run_id uuid not null,
  key text not null,
  item json not null,
  primary key (tenant_id, run_id, key),
  foreign key (tenant_id, run_id) references arbiter.campaign_runs (tenant_id, id) on delete cascade
);
comment on table arbiter.campaign_run_items is 'Offers, creatives, channels and placements of a run, with their names at the time.';
select arbiter.protect_table('arbiter.campaign_run_items');

-- =====================================================================================================================
-- Customer events and triggers
-- =====================================================================================================================

-- How far triggers and journeys have read the tenant's stream.
create table arbiter.event_followers (
  tenant_id uuid primary key references arbiter.tenants (id),
  place text not null,
  -- Nothing listens. The next listener begins at the stream's end.
  is_idle boolean not null default false
);
select arbiter.protect_table('arbiter.event_followers');

-- What triggers caused, by the id under which the stream reports it: an event, a request, a delivery. Ends chains.
create table arbiter.event_causes (
  tenant_id uuid not null,
  id uuid not null,
  -- How many triggers led here, one causing the next.
  depth integer not null check (depth > 0),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index event_causes_age on arbiter.event_causes (tenant_id, created_at) where created_at is not null;
select arbiter.protect_table('arbiter.event_causes');

create table arbiter.triggers (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 2000),
  event_type text not null,
  condition jsonb,
  action_type text not null check (action_type in ('recommend', 'journey_enroll', 'webhook', 'update_attribute')),
  -- Secrets as bullets.
  action_config jsonb not null check (jsonb_typeof(action_config) = 'object'),
  priority integer not null default 50 check (priority between 0 and 100),
  cooldown_ms bigint not null default 0 check (cooldown_ms between 0 and 2592000000),
  status text not null default 'active' check (status in ('draft', 'active', 'paused', 'archived')),
  version integer not null check (version > 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.triggers is 'Rules that act when something happens to a customer.';
create unique index triggers_name on arbiter.triggers (tenant_id, name) where deleted_at is null;
create index triggers_event on arbiter.triggers (tenant_id, event_type) where status = 'active' and deleted_at is null;
select arbiter.protect_table('arbiter.triggers');
select arbiter.keep_versions('arbiter.triggers', 'trigger');

create table arbiter.trigger_secrets (
  tenant_id uuid not null,
  trigger_id uuid not null,
  -- In the actionConfig: secret, or headers. and the name.
  sealed bytea not null,
  primary key (tenant_id, trigger_id),
  foreign key (tenant_id, trigger_id) references arbiter.triggers (tenant_id, id)
);
select arbiter.protect_table('arbiter.trigger_secrets');

-- Separate, so that firing leaves the record and its versions alone.
create table arbiter.trigger_counts (
  tenant_id uuid not null,
  trigger_id uuid not null,
  fired_count bigint not null,
  last_fired_at timestamptz(3) not null,
  primary key (tenant_id, trigger_id)
);
select arbiter.protect_table('arbiter.trigger_counts');

create table arbiter.trigger_cooldowns (
  tenant_id uuid not null,
  trigger_id uuid not null,
  customer_id text not null,
  fired_at timestamptz(3) not null,
  primary key (tenant_id, trigger_id, customer_id)
);
create index trigger_cooldowns_customer on arbiter.trigger_cooldowns (tenant_id, customer_id);
create index trigger_cooldowns_age on arbiter.trigger_cooldowns (tenant_id, fired_at);
select arbiter.protect_table('arbiter.trigger_cooldowns');

create table arbiter.trigger_firings (
  tenant_id uuid not null,
  id uuid not null,
  trigger_id uuid not null,
  event_id uuid not null,
  customer_id text not null,
  -- The event; null once nothing needs it anymore.
  event jsonb,
  -- How many triggers led here, this one included.
  depth integer not null check (depth > 0),
  status text not null check (status in ('pending', 'retrying', 'done', 'failed')),
  error text check (char_length(error) <= 200),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.trigger_firings is 'Actions of triggers, one for each event and trigger.';
-- See the indexes of deliveries.
create unique index trigger_firings_effect on arbiter.trigger_firings (event_id, trigger_id, tenant_id);
create index trigger_firings_customer on arbiter.trigger_firings (tenant_id, customer_id) where customer_id is not null;
create index trigger_firings_waiting on arbiter.trigger_firings (tenant_id, customer_id, id) where status = 'pending';
create index trigger_firings_age on arbiter.trigger_firings (tenant_id, created_at) where created_at is not null;
select arbiter.protect_table('arbiter.trigger_firings');

-- =====================================================================================================================
-- Geofences
-- =====================================================================================================================

create table arbiter.geofences (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 2000),
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  radius_meters integer not null default 500 check (radius_meters between 1 and 1000000),
  trigger_on text not null default 'enter' check (trigger_on in ('enter', 'exit', 'dwell')),
  dwell_minutes integer check (dwell_minutes between 1 and 10080),
  cooldown_ms bigint not null default 86400000 check (cooldown_ms between 0 and 31536000000),
  action jsonb not null default '{}' check (jsonb_typeof(action) = 'object'),
  status text not null default 'active' check (status in ('active', 'inactive')),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.geofences is 'Circles on the map that something happens in.';
select arbiter.protect_table('arbiter.geofences');
select arbiter.keep_versions('arbiter.geofences', 'geofence');

-- When tracked customers were seen last. Its row is the lock of a customer's states.
create table arbiter.geofence_sightings (
  tenant_id uuid not null references arbiter.tenants (id),
  customer_id text not null,
  last_seen_at timestamptz(3) not null,
  primary key (tenant_id, customer_id)
);
select arbiter.protect_table('arbiter.geofence_sightings');

-- Where tracked customers are: only geofences that they have been in, and no coordinates.
create table arbiter.geofence_states (
  tenant_id uuid not null,
  geofence_id uuid not null,
  customer_id text not null,
  is_inside boolean not null,
  entered_at timestamptz(3),
  -- The stay has fired `dwell`, or was dropped by the cooldown: once per stay.
  has_dwelled boolean not null,
  last_seen_at timestamptz(3) not null,
  last_fired_at timestamptz(3),
  primary key (tenant_id, customer_id, geofence_id),
  foreign key (tenant_id, geofence_id) references arbiter.geofences (tenant_id, id) on delete cascade
);
create index geofence_states_geofence on arbiter.geofence_states (tenant_id, geofence_id);
select arbiter.protect_table('arbiter.geofence_states');

create table arbiter.geofence_events (
  tenant_id uuid not null,
  id uuid not null,
  geofence_id uuid not null,
  customer_id text not null,
  event text not null check (event in ('enter', 'exit', 'dwell')),
  occurred_at timestamptz(3) not null,
  distance integer not null,
  -- What the action did: null while it waits in the queue.
  dispatched_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, geofence_id) references arbiter.geofences (tenant_id, id) on delete cascade
);
comment on table arbiter.geofence_events is 'Firings of geofences.';
create index geofence_events_geofence on arbiter.geofence_events (tenant_id, geofence_id, id);
create index geofence_events_customer on arbiter.geofence_events (tenant_id, customer_id);
create index geofence_events_created on arbiter.geofence_events (tenant_id, created_at);
select arbiter.protect_table('arbiter.geofence_events');

-- =====================================================================================================================
-- Notifications, alerts and reports
-- =====================================================================================================================

-- Destinations of notifications.
create table arbiter.notification_providers (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  kind text not null check (kind in ('slack', 'teams', 'webhook', 'ops_email')),
  name text not null check (length(name) between 1 and 120),
  enabled boolean not null,
  -- Secrets are masked with bullets.
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  config_summary text not null,
  last_ok boolean,
  last_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  check ((last_ok is null) = (last_at is null))
);
comment on table arbiter.notification_providers is 'Where notifications go.';
select arbiter.protect_table('arbiter.notification_providers');

-- The secrets of a destination's config, one JSON object by path, sealed with DATA_ENCRYPTION_KEY.
create table arbiter.notification_secrets (
  tenant_id uuid not null,
  provider_id uuid not null,
  sealed bytea not null,
  primary key (tenant_id, provider_id),
  foreign key (tenant_id, provider_id) references arbiter.notification_providers (tenant_id, id)
);
select arbiter.protect_table('arbiter.notification_secrets');
revoke select on arbiter.notification_secrets from arbiter_readonly;

-- Messages waiting to be delivered. Deleted when delivered or too old.
create table arbiter.notification_deliveries (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  -- No foreign key: a destination deleted meanwhile is reported as a failure.
  provider_id uuid,
  -- The rule's own address, instead of a destination.
  target jsonb check ((target is null) <> (provider_id is null)),
  message jsonb not null check (jsonb_typeof(message) = 'object'),
  -- The subject of the message, and who is told the result.
  type text not null check (type in ('report', 'trigger', 'alert', 'experiment')),
  origin_id uuid not null,
  channel smallint not null check (channel >= 0),
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.notification_deliveries is 'Notifications that wait for their destination.';
create index notification_deliveries_age on arbiter.notification_deliveries (tenant_id, created_at);
select arbiter.protect_table('arbiter.notification_deliveries');
revoke select on arbiter.notification_deliveries from arbiter_readonly;

-- Alert rules. Their state is a separate table, so that evaluating a rule every minute creates no versions of it.
create table arbiter.alerts (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 120),
  metric text not null,
  operator text not null check (operator in ('gt', 'lt', 'gte', 'lte', 'eq')),
  threshold double precision not null,
  window_minutes integer not null default 5 check (window_minutes between 1 and 10080),
  channels jsonb not null default '[]' check (jsonb_typeof(channels) = 'array'),
  cooldown_minutes integer not null default 60 check (cooldown_minutes between 0 and 10080),
  min_samples integer not null default 1 check (min_samples between 0 and 1000000),
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object'),
  enabled boolean not null default true,
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.alerts is 'Rules that watch figures of the tenant.';
select arbiter.protect_table('arbiter.alerts');
select arbiter.keep_versions('arbiter.alerts', 'alert');

create table arbiter.alert_states (
  tenant_id uuid not null,
  alert_id uuid not null,
  status text not null check (status in ('ok', 'fired', 'cooldown', 'delivery_failed', 'no_data')),
  last_evaluated_at timestamptz(3) not null,
  last_value double precision,
  last_fired_at timestamptz(3),
  last_event_id uuid,
  primary key (tenant_id, alert_id),
  foreign key (tenant_id, alert_id) references arbiter.alerts (tenant_id, id)
);
comment on table arbiter.alert_states is 'What came of the last look at each rule.';
select arbiter.protect_table('arbiter.alert_states');

create table arbiter.alert_events (
  tenant_id uuid not null,
  id uuid not null,
  alert_id uuid not null,
  fired_at timestamptz(3) not null,
  value double precision not null,
  baseline double precision,
  threshold double precision not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  deliveries jsonb not null check (jsonb_typeof(deliveries) = 'array'),
  primary key (tenant_id, id),
  foreign key (tenant_id, alert_id) references arbiter.alerts (tenant_id, id)
);
comment on table arbiter.alert_events is 'When rules fired, and what became of the messages.';
create index alert_events_rule on arbiter.alert_events (tenant_id, alert_id, id);
select arbiter.protect_table('arbiter.alert_events');

-- Templates of reports.
create table arbiter.report_templates (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (length(name) between 1 and 120),
  description text,
  data_sources jsonb not null check (jsonb_typeof(data_sources) = 'array'),
  sections jsonb not null check (jsonb_typeof(sections) = 'array'),
  formats text[] not null check (formats <@ array['pdf', 'csv', 'markdown', 'html'] and cardinality(formats) between 1 and 4),
  narrative jsonb not null check (jsonb_typeof(narrative) = 'object'),
  -- Default destinations of runs. No foreign key: a destination deleted meanwhile is reported as a failure.
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
  -- Null while the schedule is disabled.
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
-- Due schedules are read across tenants every minute.
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
  -- When a process started it; null while queued.
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
create index report_runs_waiting on arbiter.report_runs (tenant_id, id) where status = 'running' and begun_at is null;
select arbiter.protect_table('arbiter.report_runs');

-- One row per active run. After alive_until the run is given up, because its process has ended.
create table arbiter.report_leases (
  tenant_id uuid not null,
  run_id uuid not null,
  alive_until timestamptz(3) not null,
  -- A tenant's scheduled reports run one at a time. The lease names the job, which can then resume its own run after a crash
  -- while other jobs leave it alone (features/reports/background.service.ts).
  job_id text check (char_length(job_id) between 1 and 100),
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references arbiter.report_runs (tenant_id, id) on delete cascade
);
comment on table arbiter.report_leases is 'Until when runs of reports have to be done.';
create index report_leases_end on arbiter.report_leases (alive_until);
create index report_leases_at_work on arbiter.report_leases (tenant_id) where job_id is not null;
select arbiter.protect_table('arbiter.report_leases');
select arbiter.open_to_system('arbiter.report_leases', 'select');

-- Files of a run, in a table of their own, so that lists of runs don't read them.
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
comment on table arbiter.report_artifacts is 'Files of reports.';
-- Files are already compressed, or small.
alter table arbiter.report_artifacts alter column content set storage external;
select arbiter.protect_table('arbiter.report_artifacts');

-- =====================================================================================================================
-- Reset of playgrounds
-- =====================================================================================================================

-- Empties a table that the application itself can't delete from, for a tenant that is a playground. Versions of records that
-- survive a reset survive too.
create function arbiter.empty_history(target text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
begin
  if not exists (select from arbiter.tenants t where t.id = tenant and t.is_playground and t.deleted_at is null) then
    raise exception 'no playground';
  end if;
  case target
    when 'content_versions' then delete from arbiter.content_versions where tenant_id = tenant;
    when 'flow_versions' then delete from arbiter.flow_versions where tenant_id = tenant;
    when 'record_versions' then
      delete from arbiter.record_versions r
       where r.tenant_id = tenant and r.entity_type <> 'tenantSettings'
         and not (r.entity_type = 'outcomeType' and exists (
           select from arbiter.outcome_types o where o.tenant_id = tenant and o.id = r.entity_id));
    else raise exception 'refused table';
  end case;
end
$$;
grant execute on function arbiter.empty_history(text) to arbiter_app;

-- =====================================================================================================================
-- Connectors
-- =====================================================================================================================

create table arbiter.connectors (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 2000),
  type text not null check (type ~ '^[a-z][a-z0-9_]{0,31}$'),
  -- Without secrets.
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  auth_method text not null default 'access_key',
  status text not null default 'active' check (status in ('active', 'error', 'inactive')),
  last_tested_at timestamptz(3),
  last_error text,
  last_sync_at timestamptz(3),
  last_sync_row_count bigint,
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id)
);
comment on table arbiter.connectors is 'Connections to sources of data.';
create unique index connectors_name on arbiter.connectors (tenant_id, name);
select arbiter.protect_table('arbiter.connectors');
select arbiter.keep_versions(
  'arbiter.connectors', 'connector', omitted => '{last_tested_at,last_error,last_sync_at,last_sync_row_count}');

-- The authConfig of a connector, one JSON object, sealed with DATA_ENCRYPTION_KEY.
create table arbiter.connector_secrets (
  tenant_id uuid not null,
  connector_id uuid not null,
  sealed bytea not null,
  -- Which credentials are sealed.
  names text[] not null,
  primary key (tenant_id, connector_id),
  foreign key (tenant_id, connector_id) references arbiter.connectors (tenant_id, id) on delete cascade
);
select arbiter.protect_table('arbiter.connector_secrets');
revoke select on arbiter.connector_secrets from arbiter_readonly;

-- =====================================================================================================================
-- Pipelines
-- =====================================================================================================================

create table arbiter.pipelines (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null,
  description text not null default '',
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  -- Without a foreign key: archived pipelines outlive their connector.
  connector_id uuid not null,
  schema_id uuid not null,
  source jsonb not null default '{}' check (jsonb_typeof(source) = 'object'),
  transforms jsonb not null default '[]' check (jsonb_typeof(transforms) = 'array'),
  load_mode text not null default 'append' check (load_mode in ('append', 'replace', 'upsert')),
  upsert_key jsonb not null default '[]' check (jsonb_typeof(upsert_key) = 'array'),
  on_row_error text not null default 'skip' check (on_row_error in ('skip', 'fail')),
  allow_empty boolean not null default false,
  schedule jsonb check (jsonb_typeof(schedule) = 'object'),
  execution_config jsonb not null default '{"batchSize": 1000}' check (jsonb_typeof(execution_config) = 'object'),
  -- Null if it isn't active, or runs only by hand.
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  last_run_status text check ((last_run_status is null) = (last_run_at is null)),
  -- Number of the newest run.
  run_count integer not null default 0 check (run_count >= 0),
  -- Where the next incremental run starts.
  next_cursor jsonb,
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint pipelines_name unique (tenant_id, name),
  constraint pipelines_schema foreign key (tenant_id, schema_id) references arbiter.schemas (tenant_id, id)
);
comment on table arbiter.pipelines is 'Loads of rows from a connector into a schema, on a schedule or by hand.';
create index pipelines_schema_id on arbiter.pipelines (tenant_id, schema_id);
create index pipelines_connector_id on arbiter.pipelines (tenant_id, connector_id);
-- The tick finds due pipelines across all tenants.
create index pipelines_due on arbiter.pipelines (next_run_at) where next_run_at is not null;
select arbiter.protect_table('arbiter.pipelines');
grant select (tenant_id, id, next_run_at) on arbiter.pipelines to arbiter_system;
create policy system_due on arbiter.pipelines for select to arbiter_system using (next_run_at is not null);
-- Runs are data, not configuration.
select arbiter.keep_versions('arbiter.pipelines', 'pipeline',
  omitted => '{next_run_at,last_run_at,last_run_status,run_count,next_cursor}');

-- A run keeps the settings that it was created with: later changes to the pipeline don't affect it.
create table arbiter.pipeline_runs (
  tenant_id uuid not null,
  id uuid not null,
  pipeline_id uuid not null,
  run_number integer not null check (run_number > 0),
  triggered_by text not null check (triggered_by in ('manual', 'schedule')),
  status text not null
    check (status in ('pending', 'running', 'completed', 'completed_with_errors', 'failed', 'cancelled')),
  error_code text,
  error_message text check ((error_message is null) = (error_code is null)),
  connector_id uuid not null,
  schema_id uuid not null,
  settings jsonb not null check (jsonb_typeof(settings) = 'object'),
  -- Raised by each job that takes the run. A batch of an earlier one can't commit.
  token integer not null default 0,
  -- Checkpoint: where to resume reading the source.
  source_cursor jsonb,
  rows_in bigint not null default 0 check (rows_in >= 0),
  rows_out bigint not null default 0 check (rows_out >= 0),
  skipped_rows bigint not null default 0 check (skipped_rows >= 0),
  failed_rows bigint not null default 0 check (failed_rows >= 0),
  -- Columns, row numbers and reasons. No values.
  row_problems jsonb not null default '[]' check (jsonb_typeof(row_problems) = 'array'),
  log jsonb not null default '[]' check (jsonb_typeof(log) = 'array'),
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  primary key (tenant_id, id),
  unique (tenant_id, pipeline_id, run_number),
  foreign key (tenant_id, pipeline_id) references arbiter.pipelines (tenant_id, id) on delete cascade,
  check ((completed_at is null) = (status in ('pending', 'running')))
);
comment on table arbiter.pipeline_runs is 'Runs of pipelines with their progress.';
-- One run at a time.
create unique index pipeline_runs_open on arbiter.pipeline_runs (tenant_id, pipeline_id)
  where status in ('pending', 'running');
create index pipeline_runs_age on arbiter.pipeline_runs (tenant_id, created_at);
select arbiter.protect_table('arbiter.pipeline_runs');

-- =====================================================================================================================
-- Behavioral metrics
-- =====================================================================================================================

create table arbiter.behavioral_metrics (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  key text not null check (key ~ '^[a-z0-9][a-z0-9_]{0,99}$'),
  name text not null check (char_length(name) between 1 and 100),
  description text not null default '' check (char_length(description) <= 500),
  aggregate_function text not null check (aggregate_function in ('count', 'sum', 'avg', 'min', 'max', 'ratio')),
  source_field text not null check (source_field in ('impressions', 'positive', 'negative', 'neutral', 'converts', 'totalValue')),
  -- Null: all time.
  window_days integer check (window_days between 1 and 365),
  group_by_dimensions text[] not null default '{}' check (cardinality(group_by_dimensions) <= 2),
  filter_conditions jsonb check (jsonb_typeof(filter_conditions) = 'object'),
  sql_filter text check (char_length(sql_filter) <= 500),
  compute_mode text not null default 'batch' check (compute_mode in ('batch', 'realtime')),
  batch_interval_min integer not null default 60 check (batch_interval_min between 5 and 1440),
  status text not null default 'active' check (status in ('active', 'paused', 'archived')),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  constraint behavioral_metrics_name unique (tenant_id, name),
  constraint behavioral_metrics_key unique (tenant_id, key),
  check (compute_mode = 'batch' or aggregate_function in ('count', 'sum'))
);
comment on table arbiter.behavioral_metrics is 'Numbers per customer, computed from interaction history.';
select arbiter.protect_table('arbiter.behavioral_metrics');
select arbiter.keep_versions('arbiter.behavioral_metrics', 'behavioralMetric');

-- In a table of its own, because a computation is no change of the metric.
create table arbiter.behavioral_metric_states (
  tenant_id uuid not null,
  metric_id uuid not null,
  -- Null unless the scheduler computes it.
  next_compute_at timestamptz(3),
  last_computed_at timestamptz(3),
  last_error text,
  value_count integer not null default 0 check (value_count >= 0),
  primary key (tenant_id, metric_id),
  foreign key (tenant_id, metric_id) references arbiter.behavioral_metrics (tenant_id, id) on delete cascade
);
comment on table arbiter.behavioral_metric_states is 'When behavioral metrics were and will be computed.';
select arbiter.protect_table('arbiter.behavioral_metric_states');

-- Values of batch metrics.
create table arbiter.behavioral_metric_values (
  tenant_id uuid not null,
  customer_id text not null,
  metric_id uuid not null,
  -- In the order of group_by_dimensions; null where the event has none.
  dimensions text[] not null,
  value numeric not null,
  primary key (tenant_id, customer_id, metric_id, dimensions),
  foreign key (tenant_id, metric_id) references arbiter.behavioral_metrics (tenant_id, id) on delete cascade
) with (fillfactor = 90);
comment on table arbiter.behavioral_metric_values is 'Values of behavioral metrics by customer.';
create index behavioral_metric_values_top on arbiter.behavioral_metric_values (tenant_id, metric_id, value desc, customer_id);
select arbiter.protect_table('arbiter.behavioral_metric_values');

-- Realtime metrics by day of the tenant's time zone: the window applies on read.
create table arbiter.behavioral_metric_days (
  tenant_id uuid not null,
  customer_id text not null,
  metric_id uuid not null,
  dimensions text[] not null,
  day date not null,
  value numeric not null,
  primary key (tenant_id, customer_id, metric_id, dimensions, day),
  foreign key (tenant_id, metric_id) references arbiter.behavioral_metrics (tenant_id, id) on delete cascade
) with (fillfactor = 80);
comment on table arbiter.behavioral_metric_days is 'Counts and sums of realtime metrics by customer and day.';
-- Without the tenant, so that statements of decisions can't find a tenant's rows by it (docs/adr/0102).
create index behavioral_metric_days_metric on arbiter.behavioral_metric_days (metric_id);
select arbiter.protect_table('arbiter.behavioral_metric_days');
