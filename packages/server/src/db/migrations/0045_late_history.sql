-- Rows of history whose id is old when they are written: of a process that was stopped in between, or whose clock is wrong.
-- The export goes along the ids and does not come back to where it has been (docs/design/quality.md E14), so these are noted
-- in the transaction that writes them, and the export takes them from here.
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

-- The first six bytes of an id are the millisecond in which it was made; 600000 is `idsMayLagMs` (exports.service.ts). Only
-- the condition runs for each row, so it is made of what is quick: bytes are compared, not texts.
create trigger note_late_history after insert on arbiter.interactions for each row
  when (uuid_send(new.id) < substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint - 600000) from 3))
  execute function arbiter.note_late_history();
create trigger note_late_history after insert on arbiter.decision_impressions for each row
  when (uuid_send(new.id) < substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint - 600000) from 3))
  execute function arbiter.note_late_history();
