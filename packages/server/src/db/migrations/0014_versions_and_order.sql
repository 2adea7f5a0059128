-- Catalogue history (docs/design/recording.md S14): every state of every governed record, for "as of T", restore and backtests.

-- When each number of a tenant's catalogue was committed, and by whom. Kept as long as the tenant.
create table arbiter.catalogue_log (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  config_version bigint not null check (config_version > 0),
  -- By the database's clock under the lock of the version row: later numbers have later instants, whatever clocks do.
  committed_at timestamptz not null,
  -- As in audit rows; `database:<role>` for a change that was made beside the API.
  actor text not null,
  primary key (tenant_id, config_version)
);
create index catalogue_log_instants on arbiter.catalogue_log (tenant_id, committed_at);
select arbiter.protect_table('arbiter.catalogue_log', 'insert_only');

-- Every state that a governed record had. Written by triggers, so that no writer can forget one.
create table arbiter.record_versions (
  tenant_id uuid not null references arbiter.tenants (id) on delete cascade,
  -- As in the resource and in audit rows; also `tenantSettings` (its id is the tenant's) and `flowVersion` (the flow's).
  entity_type text not null,
  entity_id uuid not null,
  -- Rises with every change of a record, also when its version did not.
  number bigint not null generated always as identity,
  -- The record's own counter.
  version integer not null,
  -- The catalogue's number since which this state holds; null until the end of the transaction that makes it.
  config_version bigint,
  -- The row's columns under their names in the database, without tenant_id and without counters that are no configuration.
  body jsonb not null,
  -- Deleted softly, or gone: then `body` is the last state of the row.
  deleted boolean not null,
  primary key (tenant_id, entity_type, entity_id, number)
);
-- What the end of the transaction looks for.
create index record_versions_open on arbiter.record_versions (tenant_id) where config_version is null;
select arbiter.protect_table('arbiter.record_versions', 'insert_only');
grant update (config_version) on arbiter.record_versions to arbiter_app;

-- Trigger of governed tables. Arguments: entity type, column of the id, column of the counter, columns that are left out.
-- One statement writes the versions of all rows that a statement changed.
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

-- What every migration calls for each table whose rows are configuration.
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

-- Ends a change of the catalogue: the next number, its instant, the versions that wait for it, and word to every node.
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
  update arbiter.record_versions set config_version = raised.version where tenant_id = tenant and config_version is null;
  perform pg_notify('arbiter_catalogue', tenant::text);
  return raised.version;
end
$$;
grant execute on function arbiter.raise_catalogue_version(uuid, text) to arbiter_app;

-- A transaction that changed the catalogue and did not say so (a repair by hand) raises the number all the same.
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

-- What exists already starts its history with the state that it has. The owner sees rows of all tenants here only.
do $$
declare
  governed record;
  part text;
begin
  for governed in
    select * from (values
      ('categories', 'category', 'version', 'id', '{}'),
      ('sub_categories', 'subCategory', 'version', 'id', '{}'),
      ('channels', 'channel', 'version', 'id', '{}'),
      ('placements', 'placement', 'version', 'id', '{}'),
      ('outcome_types', 'outcomeType', 'version', 'id', '{}'),
      ('schemas', 'dataSchema', 'version', 'id', '{}'),
      ('offers', 'offer', 'version', 'id', '{}'),
      ('creatives', 'creative', 'version', 'id', '{metrics}'),
      ('qualification_rules', 'qualificationRule', 'version', 'id', '{}'),
      ('contact_policies', 'contactPolicy', 'version', 'id', '{}'),
      ('decision_flows', 'decisionFlow', 'row_version', 'id', '{}'),
      ('flow_versions', 'flowVersion', 'version', 'flow_id', '{}'),
      ('ranking_profiles', 'rankingProfile', 'version', 'id', '{}'),
      ('tenant_settings', 'tenantSettings', 'version', 'tenant_id', '{}')
    ) as g (name, entity_type, counter, id_column, omitted)
  loop
    execute format('alter table arbiter.%I no force row level security', governed.name);
    foreach part in array array['catalogue_versions', 'catalogue_log', 'record_versions'] loop
      execute format('alter table arbiter.%I no force row level security', part);
    end loop;
    execute format('insert into arbiter.catalogue_versions (tenant_id, version) '
      'select distinct tenant_id, 1 from arbiter.%I on conflict do nothing', governed.name);
    execute format(
      'insert into arbiter.record_versions (tenant_id, entity_type, entity_id, version, config_version, body, deleted) '
      'select r.tenant_id, %L, r.%I, r.%I, c.version, to_jsonb(r) - array_append(%L::text[], ''tenant_id''), '
      '       to_jsonb(r) ->> ''deleted_at'' is not null '
      '  from arbiter.%I r join arbiter.catalogue_versions c on c.tenant_id = r.tenant_id order by r.tenant_id, r.%I',
      governed.entity_type, governed.id_column, governed.counter, governed.omitted, governed.name, governed.counter);
    execute format('alter table arbiter.%I force row level security', governed.name);
    perform arbiter.keep_versions(format('arbiter.%I', governed.name)::regclass, governed.entity_type,
      governed.counter, governed.id_column, governed.omitted::text[]);
  end loop;
  insert into arbiter.catalogue_log (tenant_id, config_version, committed_at, actor)
  select tenant_id, version, updated_at, 'system:migration' from arbiter.catalogue_versions;
  foreach part in array array['catalogue_versions', 'catalogue_log', 'record_versions'] loop
    execute format('alter table arbiter.%I force row level security', part);
  end loop;
end
$$;
-- The first lock of a tenant's settings makes a row that says what its absence said: no version of anything.
drop trigger keep_versions_insert on arbiter.tenant_settings;

-- Order within a customer (docs/design/recording.md S5): the row that is the customer's lock counts what is committed under it.
-- What has number 17 was made from exactly the rows below 17.
alter table arbiter.customer_states add column customer_seq bigint not null default 0;
-- Null: recorded before there were numbers.
alter table arbiter.decisions add column customer_seq bigint;
alter table arbiter.interactions add column customer_seq bigint;
alter table arbiter.decision_impressions add column customer_seq bigint;
-- The number of what ended the reservation: from there on it counts no more.
alter table arbiter.interactions add column reservation_settled_seq bigint;
create or replace view arbiter.interaction_history with (security_invoker = true) as
select tenant_id, id as row_id, id, customer_id, interaction_type, outcome_key, classification, direction, is_conversion,
  offer_id, creative_id, channel_id, placement_id, category_id, recommendation_id, rank, campaign_id, journey_id,
  conversion_value, currency, context, attributes, details, occurred_at, created_at, reservation_state,
  reservation_expires_at, reservation_settled_at, reservation_settled_by, resolved_by, release_id,
  customer_seq, reservation_settled_seq
from arbiter.interactions
union all
select p.tenant_id, p.id, overlay(p.id::text placing lpad(to_hex(coalesce(p.ranks[i.place], i.place)), 2, '0') from 35)::uuid,
  p.customer_id, 'impression'::text, 'impression'::text, 'neutral'::text, 'outbound'::text, false, i.offer_id,
  case when cardinality(p.creative_ids) = 1 then p.creative_ids[1] else p.creative_ids[i.place] end,
  case when cardinality(p.channel_ids) = 1 then p.channel_ids[1] else p.channel_ids[i.place] end,
  case when cardinality(p.placement_ids) = 1 then p.placement_ids[1] else p.placement_ids[i.place] end,
  case when cardinality(p.category_ids) = 1 then p.category_ids[1] else p.category_ids[i.place] end,
  p.id, coalesce(p.ranks[i.place], i.place)::smallint, null::uuid, null::uuid, null::numeric, null::text, p.context,
  null::jsonb, null::jsonb, p.occurred_at, p.occurred_at, null::text, null::timestamptz, null::timestamptz, null::text,
  null::text, p.release_id, p.customer_seq, null::bigint
from arbiter.decision_impressions p cross join lateral unnest(p.offer_ids) with ordinality as i(offer_id, place);

-- Long histories (docs/adr/0022-history-order-and-split-states.md): once a state is long, `state` holds what came since `base`
-- was written. `base` is stored apart from the row, which PostgreSQL leaves alone when an update does not name it.
alter table arbiter.customer_states add column base bytea;
alter table arbiter.customer_states alter column base set storage external;
