-- Joins between schemas, figures of schemas, and columns that are added to tables of any size while decisions go on
-- (docs/design/api-catalogue.md 2.3, 2.5; docs/design/api-settled.md 17, 36).

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

-- Figures of a schema's rows, for five minutes at most. A row without `stats` is the mark of somebody who is counting:
-- each write of rows deletes the row, and only a mark that is still there when the counting is done gets the figures.
create table arbiter.schema_stats (
  tenant_id uuid not null,
  schema_id uuid not null,
  -- Of the schema; figures of another version are of no use.
  version integer not null,
  mark uuid not null,
  stats jsonb,
  counted_at timestamptz(3) not null,
  primary key (tenant_id, schema_id),
  constraint schema_stats_schema foreign key (tenant_id, schema_id) references arbiter.schemas (tenant_id, id)
);
select arbiter.protect_table('arbiter.schema_stats');

-- A field that is being added to a large table is a column `__new_<32 hex digits>` until it is complete. No field can
-- have such a name, so whatever reads and writes rows does not see it.
create or replace function arbiter.ds_check_column(column_name text) returns void
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

-- Adds a column without rewriting the table: existing rows get a constant default or now() from the catalogue. A default
-- that differs by row is given to new rows only; the caller fills the others, and `not null` comes afterwards.
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

-- `not null` in three steps, a transaction each, so that no reader waits while the rows are looked through: a check that
-- holds for new rows only, its validation beside readers and writers, and the mark, which then needs no look.
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

-- Two rows cannot have one value. An index and no constraint: building it keeps writers waiting, readers not.
create function arbiter.ds_unique_column(table_name text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform arbiter.ds_check_column(column_name);
  execute format('create unique index on %s (tenant_id, %I)', arbiter.ds_table(table_name, true), column_name);
end
$$;

-- Gives a complete column the name of its field.
create function arbiter.ds_finish_column(table_name text, pending text, column_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform arbiter.ds_check_column(pending), arbiter.ds_check_column(column_name);
  execute format('alter table %s rename column %I to %I', arbiter.ds_table(table_name, true), pending, column_name);
end
$$;

-- Drops the columns that were never completed, up to this name: what a process left that ended in the middle.
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
