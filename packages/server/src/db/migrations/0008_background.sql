-- Summaries are rolled up from history itself, inside the database (docs/adr, "The roll-up runs inside the database").
-- A row of the outbox names the history rows that were written with it and count; so it is the commit-safe cursor.
alter table arbiter.outbox add column item_ids uuid[] not null default '{}';
-- Ids do not get shorter by compressing them.
alter table arbiter.outbox alter column item_ids set storage external;

-- A tenant's waiting rows, oldest first, without those of the others and without the published ones of the last days.
drop index arbiter.outbox_pending;
create index outbox_pending on arbiter.outbox (tenant_id, id) where position is null;

-- A customer who comes back within minutes updates rows that are still in memory: leave them room on their page.
alter table arbiter.interaction_summaries set (fillfactor = 90);

-- Reservations that ran out are found without reading the history of two days.
create index interactions_reserved on arbiter.interactions (tenant_id, reservation_expires_at)
  where reservation_state = 'open';

-- Answers kept for requestIds that clients made, oldest first, to delete those whose records are gone.
create index decision_requests_age on arbiter.decision_requests (tenant_id, created_at);

-- Evidence is counted by channel too (api-decisioning.md 3). Changes from before name none.
alter table arbiter.evidence_changes add column channel_id uuid;
