-- Metrics tell for how many tenants the export of interaction history fails, and by what.
create policy system_access on arbiter.export_checkpoints for select to arbiter_system using (true);
grant select (status, error) on arbiter.export_checkpoints to arbiter_system;
