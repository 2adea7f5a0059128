-- Export of interaction history (contract part 1, 4.12; docs/design/quality.md E14) and the cut of old audit rows
-- (docs/design/api-access.md 7).

-- How far the export of a tenant's history has come (docs/adr, "Exports remember what they have written").
create table arbiter.export_checkpoints (
  tenant_id uuid primary key references arbiter.tenants (id),
  -- Every stored row below this id that will ever be committed has been exported.
  low_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- What low_id may be raised to once every transaction below this transaction id has ended.
  next_low_id uuid,
  next_low_xid numeric(20),
  -- A batch that was chosen, and whose file may not be whole: its stored rows, how many items of each were exported before
  -- it and how many will be with it.
  pending_at timestamptz(3),
  pending_rows uuid[],
  pending_from smallint[],
  pending_items smallint[],
  status text not null default 'ok' check (status in ('ok', 'failed')),
  -- A code of the registry or the kind of the failure, when status is failed.
  error text,
  -- Names the newest file: epoch ms, so that the next one is later.
  last_file_at timestamptz(3),
  exported_at timestamptz(3),
  check ((pending_rows is null) = (pending_at is null)),
  check (cardinality(pending_rows) = cardinality(pending_from) and cardinality(pending_rows) = cardinality(pending_items))
);
comment on table arbiter.export_checkpoints is 'How far the export of interaction history has come.';
select arbiter.protect_table('arbiter.export_checkpoints');

-- Stored rows from low_id on that were exported, with the number of their items that were.
create table arbiter.exported_rows (
  tenant_id uuid not null references arbiter.tenants (id),
  row_id uuid not null,
  items smallint not null check (items > 0),
  primary key (tenant_id, row_id)
);
comment on table arbiter.exported_rows is 'Newest rows of interaction history that were exported already.';
select arbiter.protect_table('arbiter.exported_rows');

-- Customers who were erased while export files may still name them; the row goes when the files were written anew.
create table arbiter.export_erasures (
  tenant_id uuid not null references arbiter.tenants (id),
  -- HMAC-SHA256 of the customer id by a key of the tenant, as in customer_erasures.
  customer_hash bytea not null check (octet_length(customer_hash) = 32),
  erased_at timestamptz(3) not null,
  primary key (tenant_id, customer_hash)
);
comment on table arbiter.export_erasures is 'Erased customers whom export files may still name, by keyed hash.';
select arbiter.protect_table('arbiter.export_erasures');

-- Deletes the oldest audit rows of the transaction's tenant, at most `most`: those before `cut_before`, as far as they
-- follow each other, but never a row that is younger than a day or the last one. Answers with the last row that went.
-- The application role may only append, so that this is the one way in which rows go.
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

-- Suppressions that have run out, the longest gone first.
create index customer_suppressions_expiry on arbiter.customer_suppressions (tenant_id, expires_at);
