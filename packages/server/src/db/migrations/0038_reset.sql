-- Reset of playgrounds (docs/design/api-access.md 5.3). A catalogue of a version below this one is from before the last reset.
alter table arbiter.playground_quotas add column reset_version bigint not null default 0;

-- Deletes what a reset takes away of tables from which the application deletes nothing: of the transaction's tenant, and only
-- when that is a playground. Of the versions of records those stay whose records stay.
create function arbiter.empty_history(target text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
begin
  if not exists (select from arbiter.tenants t where t.id = tenant and t.is_playground and t.deleted_at is null) then
    raise exception 'no playground';
  end if;
  case target
    when 'content_versions' then delete from arbiter.content_versions where tenant_id = tenant;
    when 'flow_versions' then delete from arbiter.flow_versions where tenant_id = tenant;
    when 'record_versions' then
      delete from arbiter.record_versions r
       where r.tenant_id = tenant and r.entity_type <> 'tenantSettings'
         and not (r.entity_type = 'outcomeType' and exists (
           select from arbiter.outcome_types o where o.tenant_id = tenant and o.id = r.entity_id));
    else raise exception 'refused table';
  end case;
end
$$;
grant execute on function arbiter.empty_history(text) to arbiter_app;
