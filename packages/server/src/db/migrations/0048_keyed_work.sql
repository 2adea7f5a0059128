-- Work that cannot be done in one transaction holds its key while a process is at it. The process says so every few
-- seconds; when it has ended, a repeat of the call takes the work over (http/keyed-work.ts).
alter table arbiter.idempotency_keys
  add column work_id uuid,
  add column holder_id uuid,
  add column held_until timestamptz(3);
alter table arbiter.idempotency_keys add constraint idempotency_keys_held_check
  check (num_nulls(work_id, holder_id, held_until) in (0, 3) and (work_id is null or body is null));
