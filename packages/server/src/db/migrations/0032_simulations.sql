-- Simulations over segments (docs/design/api-decisioning.md 13): what was asked, how far it is and what came of it.

create table arbiter.simulations (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  segment_id uuid not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  error text check ((error is null) = (status <> 'failed')),
  -- What is asked of each customer of the sample: place, attributes, seed, clock. Kept as it came: jsonb takes no NUL.
  question json not null check (json_typeof(question) = 'object'),
  -- The flows that run, with their configs: the one, and the one that it is compared with.
  flows json not null check (json_typeof(flows) = 'array'),
  sampled integer not null default 0 check (sampled >= 0),
  total integer not null default 0 check (total >= sampled),
  -- Figures of the flows and what differs; null until it is completed.
  result json check ((result is null) = (status <> 'completed')),
  created_at timestamptz(3) not null,
  completed_at timestamptz(3) check ((completed_at is null) = (status = 'running')),
  duration_ms integer check ((duration_ms is null) = (completed_at is null)),
  -- Who works on it, and until when that is so without another word; null: nobody has begun.
  holder uuid,
  lease_until timestamptz(3) check ((lease_until is null) = (holder is null)),
  primary key (tenant_id, id)
);
comment on table arbiter.simulations is 'Simulations over segments, kept for 30 days.';
select arbiter.protect_table('arbiter.simulations');
