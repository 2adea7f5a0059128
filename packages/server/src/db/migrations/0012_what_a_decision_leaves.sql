-- What a decision leaves behind for those who judge drafts by the past (docs/design/recording.md, docs/adr/0020), and how long.

-- Plain columns: no personal data, so they stay when a customer is erased, and health questions decrypt nothing. Null in
-- records from before this migration, and where the source does not exist yet.
alter table arbiter.decisions
  -- What was read of the customer, as a row of read_sets: an absent value and one that was never read differ by it.
  add column read_set bigint,
  -- Numbered states of the tenant that the decision was made with.
  add column price_number bigint,
  add column counts_number bigint,
  -- Which arm of which release decided (0: stable, 1: candidate), and what asked: a campaign run, a journey, a trigger.
  add column release_id uuid,
  add column source_id uuid,
  -- Channel that was asked for, else that of the first item.
  add column channel_id uuid,
  -- Time in the engine, microseconds.
  add column engine_us integer,
  -- Smallest selection probability of an item; null without items.
  add column min_probability real,
  add column arm smallint not null default 0,
  -- Why there is no item (sealed-records/empty-codes.ts); null with items.
  add column empty_code smallint,
  -- Whether chance put an item where the ranking would not have.
  add column explored boolean;

-- What decisions read of their customers, each list of names once by its hash.
create table arbiter.read_sets (
  tenant_id uuid not null,
  id bigint generated always as identity,
  -- SHA-256 of the canonical names.
  hash bytea not null,
  names jsonb not null check (jsonb_typeof(names) = 'object'),
  -- Newest catalogue version that decides with it.
  config_version bigint not null,
  -- When it was found that no process decides with it any more; null: one may.
  retired_at timestamptz,
  primary key (tenant_id, id)
);
comment on table arbiter.read_sets is 'Names of what decisions read of their customers, each list once.';
create unique index read_sets_hash on arbiter.read_sets (tenant_id, hash);
select arbiter.protect_table('arbiter.read_sets');

-- Plans and their pieces go when no record can name them any more (plans/plan-expiry.store.ts). Plans that are there already
-- count as not in use until a process stores them again, which it does before it decides with them.
alter table arbiter.plans
  add column config_version bigint not null default 0,
  add column retired_at timestamptz,
  add column stored_at timestamptz not null default now();
alter table arbiter.plans alter column config_version drop default, alter column stored_at drop default;
-- stored_at: of a plan, when it was stored last; of a piece, at most a day before any plan that names it was.
alter table arbiter.plan_pieces add column stored_at timestamptz not null default now();
alter table arbiter.plan_pieces alter column stored_at drop default;

-- Histogram of durations: bucket b, from 0, counts those below 16 us * 2^(b/4), the last one all longer ones. Sums of histograms are
-- histograms, so that the rows of several processes can be added; a quantile of each could not.
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

-- How decisions went, per minute, flow and arm: what failed leaves no record, and would be missed.
create table arbiter.decision_minutes (
  tenant_id uuid not null,
  minute timestamptz not null check (date_trunc('minute', minute) = minute),
  -- The nil UUID, version 0: no flow was found before it failed.
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

-- How long a tenant keeps what (part 1, retention configuration). Without a row the defaults of docs/design/api-access.md 14 hold.
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

-- Drops the months of a table that are over and hold no row of any tenant any more. The owner is held to row-level
-- security too, so each partition is let out of it for the look; whoever is at work in it meanwhile is not waited for.
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
