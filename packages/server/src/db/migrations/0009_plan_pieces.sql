-- Plans are stored in pieces: a change of one offer among thousands writes one piece and a head (docs/adr/0015).

create table arbiter.plan_pieces (
  tenant_id uuid not null,
  -- SHA-256 of the canonical content.
  hash bytea not null,
  -- Raw-deflated RFC 8785 form of some of a snapshot's lists.
  body bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, hash)
);
comment on table arbiter.plan_pieces is 'Parts of plans, each stored once by the hash of its content.';
comment on column arbiter.plans.body is 'Raw-deflated RFC 8785 form: tenant, flow and the hashes of the pieces.';
alter table arbiter.plan_pieces alter column body set storage external;
select arbiter.protect_table('arbiter.plan_pieces');
