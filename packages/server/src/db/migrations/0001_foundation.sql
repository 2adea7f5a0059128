-- The floor of the house: who may do what by default, how a table is put under row-level security, how partitions are
-- made. Every migration runs as arbiter_owner, which is no superuser: forced row-level security binds it too, and with
-- it every SECURITY DEFINER function. Conventions for later migrations: docs/guides/migrations.md.

comment on schema arbiter is 'All tables of Arbiter but the tenants'' own (schemas t_<tenant id>) and the job queue.';
grant usage on schema arbiter to arbiter_app, arbiter_readonly, arbiter_system, arbiter_queue;

-- A function is callable by nobody until its migration says so.
alter default privileges revoke execute on functions from public;

-- The tenant of the transaction; null when none is set. After a transaction that set it, the setting is '' (F5).
create function arbiter.current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant', true), '')::uuid;
grant execute on function arbiter.current_tenant() to arbiter_app, arbiter_readonly, arbiter_system;

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
      execute format(
        'create policy tenant_isolation on %s '
        'using (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid)) '
        'with check (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid))', part);
    end if;
  end loop;
end
$$;

-- What every migration calls for each table with tenant data. Modes: 'full' (select, insert, update, delete),
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

-- Monthly partitions of a table that is PARTITION BY RANGE (id), id being a UUIDv7: a month's partition holds the ids
-- from the first id of its first millisecond (UTC) up to the next month's. Makes the missing ones of `months` months
-- from the month of `from_day` on, protected in the same transaction (F4). Returns how many were made.
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

-- The smallest UUIDv7 of a day's first millisecond (UTC); platform/ids.ts firstIdAt computes the same.
create function arbiter.first_id_at(day date) returns uuid
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;
grant execute on function arbiter.ensure_month_partitions(regclass, date, int) to arbiter_app, arbiter_system;

-- Row-level security as it is: every table and partition with tenant data, of schema arbiter and of the tenant's own
-- schema. Other tenants' schemas are not named (law 4).
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

-- Puts one of those tables back under forced row-level security; repeatable. Tables of other tenants are refused.
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

-- Tenants. The one table whose tenant is its id. Settings (the time zone among them) belong to feature settings.
create table arbiter.tenants (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  is_playground boolean not null default false,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
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
    create policy tenant_isolation on arbiter.tenants
      using (id = (select nullif(current_setting('app.tenant', true), '')::uuid))
      with check (id = (select nullif(current_setting('app.tenant', true), '')::uuid));
  end if;
end
$$;
select arbiter.isolate_tenants();
grant select, insert, update on arbiter.tenants to arbiter_app;
grant select on arbiter.tenants to arbiter_readonly;
select arbiter.open_to_system('arbiter.tenants', 'select, insert, update');

-- The number of the tenant's catalogue state: raised once by each transaction that changes the catalogue
-- (tx.touchCatalogue), told to every node on channel arbiter_catalogue (decisioning.md 6).
create table arbiter.catalogue_versions (
  tenant_id uuid primary key references arbiter.tenants (id) on delete cascade,
  version bigint not null check (version > 0),
  updated_at timestamptz not null default now()
);
select arbiter.protect_table('arbiter.catalogue_versions');
select arbiter.open_to_system('arbiter.catalogue_versions', 'select');
