-- Of one tenant one scheduled report is written at a time: the job that is at it stands in its lease, so that the job finds
-- what it had begun when its process ended, and others of the tenant leave it alone (features/reports/background.service.ts).
alter table arbiter.report_leases add column job_id text check (char_length(job_id) between 1 and 100);
create index report_leases_at_work on arbiter.report_leases (tenant_id) where job_id is not null;
create index report_runs_waiting on arbiter.report_runs (tenant_id, id) where status = 'running' and begun_at is null;
