-- Categories, channels, placements, outcome types (api-catalogue.md 4, 5, 10) and schemas with the tenants' own tables
-- (part 2, 4.1; api-catalogue.md 2).

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
  primary key (tenant_id, id)
);
create unique index channels_name on arbiter.channels (tenant_id, name) where deleted_at is null;
create unique index channels_key on arbiter.channels (tenant_id, key) where deleted_at is null;
select arbiter.protect_table('arbiter.channels');

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
  -- For ever: history names outcomes by key.
  constraint outcome_types_key unique (tenant_id, key),
  check (not is_conversion or classification = 'positive')
);
create unique index outcome_types_name on arbiter.outcome_types (tenant_id, name) where deleted_at is null;
select arbiter.protect_table('arbiter.outcome_types');

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
  -- Field records in their order: they describe one table, are locked, versioned and audited with it.
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

-- Tables of the tenants: schema t_<tenant id without dashes>, tables ds_<schema name>. The application role cannot make
-- tables; these functions can, for the tenant of the transaction only. They trust no argument: names are matched and
-- quoted, types come from a list, defaults are literals or one of two functions (quality.md T3).

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

-- The quoted name of an existing table of the tenant, or of one to be made.
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

create function arbiter.ds_check_column(column_name text) returns void
  language plpgsql immutable
  set search_path = pg_catalog, pg_temp
as $$
begin
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

-- The index that finds rows by a column, unless a key of the table does so already.
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

-- Makes a table: the columns, tenant_id (never shown), the primary key (column `id`, counting up, when none is given),
-- unique constraints, forced row-level security, and the rights of the application role.
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
  execute format('alter table %s drop column %I', qualified, column_name);
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
