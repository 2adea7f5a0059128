-- Segments (docs/design/api-catalogue.md 1.3, 11): the words in which conditions ask columns, segments with their views, and the
-- members that a watched segment had when it was last looked at.

-- What a condition reads of a value, the same as the engine reads it (packages/engine/src/conditions/match.ts). One file of cases
-- holds both against each other: packages/engine/conformance/conditions.json.

-- A finite double, 0 for what is too small for one, null for what is too large. The casts of PostgreSQL refuse both.
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

-- The number that a text stands for: digits with sign, decimals and exponent. Null for every other text.
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

-- Epoch milliseconds of an ISO date (midnight UTC) or instant (UTC when it has no offset); null for every other text.
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

-- The text of a decimal that has more digits than a number of JSON shows (15); null for all others, which are numbers.
create function arbiter.condition_text(number numeric) returns text
  language sql immutable strict parallel safe
  return case when length(replace(regexp_replace(trim_scale(number)::text, '^-?0*\.?0*', ''), '.', '')) > 15
    then trim_scale(number)::text end;

create function arbiter.condition_decimal(number numeric) returns double precision
  language sql immutable strict parallel safe
  return case when arbiter.condition_text(number) is null then arbiter.condition_float(number)
    else arbiter.condition_number(arbiter.condition_text(number)) end;

-- Texts of the types whose values are texts in answers (docs/design/api-catalogue.md 2.1).
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

-- The number of a text in the one spelling of an integer, for joins of a text with an integer; null for every other text.
create function arbiter.condition_integer(written text) returns bigint
  language sql immutable strict parallel safe
  return case when written ~ '^(0|-?[1-9][0-9]{0,17})$' then written::bigint end;

-- JSON's null is no value, nor is a number that no double holds.
create function arbiter.condition_present(value jsonb) returns boolean
  language sql immutable parallel safe
  return case jsonb_typeof(value)
    when 'null' then false
    when 'number' then arbiter.condition_float((value #>> '{}')::numeric) is not null
    else value is not null end;

-- A JSON value against a wanted text, number or boolean. comparison: eq, lt, lte, gt, gte. Unlike types: false.
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

-- A JSON text that has the substring, or a list that has the element.
create function arbiter.condition_json_contains(value jsonb, wanted jsonb) returns boolean
  language sql immutable parallel safe
  return case jsonb_typeof(value)
    when 'array' then exists (select from jsonb_array_elements(value) as e(item) where arbiter.condition_json(e.item, 'eq', wanted))
    when 'string' then jsonb_typeof(wanted) = 'string' and strpos(value #>> '{}', wanted #>> '{}') > 0
    else false end;

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
  -- Column that names customers in the view. A field customer_id that is added later is another one.
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
-- How many customers there are is data of the tenant, not its configuration.
select arbiter.keep_versions('arbiter.segments', 'segment', omitted => '{customer_count,last_refreshed_at}');

-- When the members of a watched segment were first written down. A segment without members has a row here all the same.
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
-- What erasing a customer looks for.
create index segment_members_customer on arbiter.segment_members (tenant_id, customer_id);
select arbiter.protect_table('arbiter.segment_members');

-- Makes the view of a segment in the schema of the transaction's tenant, or makes it anew. `body` is a query of one column,
-- customer_id, in which {0} stands for the first literal and so on. It has no room for more than a query: no quoted text, no
-- semicolon, no comment, no dollar sign. What the view reads is looked at when it is made: tables of this tenant and nothing
-- else (docs/design/quality.md F3, T3).
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
