import type { TestDatabase } from '../../packages/server/src/db/test-database.ts';

/**
 * Returns everything in the database's own catalogue that would let one tenant see or touch another's data
 * (docs/design/quality.md F2 to F8, T2): tables, partitions and data tables with their policies, owners, rights and
 * keys; functions; views; roles. Empty if there is nothing.
 */
export async function catalogueFindings(db: TestDatabase): Promise<string[]> {
  const rows = await db.ownerQuery<{ finding: string }>(query);
  return rows.map(({ finding }) => finding).sort();
}

const query = `
  with
  ours as (select oid, nspname from pg_namespace where nspname = 'arbiter' or nspname ~ '^t_[0-9a-f]{32}$'),
  tables as (
    select c.*, n.nspname, format('%I.%I', n.nspname, c.relname) as label,
           case when c.oid = 'arbiter.tenants'::regclass then 'id' else 'tenant_id' end as tenant_column
      from pg_class c join ours n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and c.oid <> 'arbiter.schema_migrations'::regclass),
  policies as (
    select p.*, t.label, t.tenant_column, t.nspname, pg_get_expr(p.polqual, p.polrelid) as reads,
           pg_get_expr(p.polwithcheck, p.polrelid) as writes
      from tables t join pg_policy p on p.polrelid = t.oid),
  -- What the policy says, spaces aside. The empty string names no tenant (F5).
  wanted as (select oid, format(
      '(%s = ( SELECT (NULLIF(current_setting(''app.tenant''::text, true), ''''::text))::uuid AS "nullif"))', tenant_column) as expression
      from tables)

  select format('%s: row-level security is not enabled', label) as finding from tables where not relrowsecurity
  union all
  select format('%s: row-level security is not forced', label) from tables where not relforcerowsecurity
  union all
  select format('%s: no policy tenant_isolation', label) from tables t
   where not exists (select from policies p where p.polrelid = t.oid and p.polname = 'tenant_isolation')
  union all
  select format('%s: policy tenant_isolation says something else: %s / %s', label, reads, writes)
    from policies p join wanted w on w.oid = p.polrelid
   where polname = 'tenant_isolation' and (polcmd <> '*' or polroles <> '{0}' or not polpermissive
      or regexp_replace(reads, '\\s+', ' ', 'g') <> w.expression or regexp_replace(writes, '\\s+', ' ', 'g') <> w.expression)
  union all
  select format('%s: policy %s lets others in', label, polname) from policies
   where polname <> 'tenant_isolation' and (polroles <> array['arbiter_system'::regrole::oid] or nspname <> 'arbiter')
  union all
  select format('%s: owned by %s', label, relowner::regrole) from tables where relowner <> 'arbiter_owner'::regrole
  union all
  select format('schema %s: owned by %s', n.nspname, n.nspowner::regrole) from pg_namespace n join ours on ours.oid = n.oid
   where n.nspowner <> 'arbiter_owner'::regrole
  union all
  select format('%s: column %s is no uuid not null', label, tenant_column) from tables t
   where not exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = t.tenant_column
                        and a.atttypid = 'uuid'::regtype and a.attnotnull)
  union all
  select format('%s: unique index %s does not name the tenant', label, i.indexrelid::regclass)
    from tables t join pg_index i on i.indrelid = t.oid
   where i.indisunique
     and not exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = t.tenant_column
                        and a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1]))
     -- Names in the operator's bootstrap file: no tenant sets or sees them.
     and i.indexrelid <> 'arbiter.tenants_bootstrap_name'::regclass
     -- Addresses before there is a tenant: the application role has no right to the table.
     and (i.indexrelid is distinct from to_regclass('arbiter.registration_claims_pkey')
       or has_table_privilege('arbiter_app', t.oid, 'SELECT, INSERT, UPDATE, DELETE'))
  union all
  select format('%s: foreign key %s does not carry the tenant', label, k.conname)
    from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
    join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
    join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
   where a.attname <> 'tenant_id' or b.attname <> case when k.confrelid = 'arbiter.tenants'::regclass then 'id' else 'tenant_id' end
  union all
  select format('%s: %s may %s', label, acl.grantee::regrole, lower(acl.privilege_type))
    from tables t, aclexplode(t.relacl) acl
   where acl.grantee <> 'arbiter_owner'::regrole and acl.grantee <> 0
     and (acl.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
       or acl.grantee::regrole::text not in ('arbiter_app', 'arbiter_readonly', 'arbiter_system')
       or acl.grantee = 'arbiter_readonly'::regrole and acl.privilege_type <> 'SELECT'
       or t.relispartition)
  union all
  select format('%s: rights for everybody', label) from tables t, aclexplode(t.relacl) acl where acl.grantee = 0
  union all
  select format('%s: the application may change the audit log', label) from tables t
   where t.oid = 'arbiter.audit_logs'::regclass and has_any_column_privilege('arbiter_app', t.oid, 'update')
  union all
  select format('function %s: SECURITY DEFINER without a fixed search_path', p.oid::regprocedure) from pg_proc p
   where p.prosecdef and p.pronamespace not in (select oid from pg_namespace where nspname ~ '^pg_' or nspname = 'information_schema')
     and not exists (select from unnest(p.proconfig) c where c ~ '^search_path=.*pg_temp$')
  union all
  select format('function %s: callable by everybody', p.oid::regprocedure) from pg_proc p join ours on ours.oid = p.pronamespace
   where exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl where acl.grantee = 0)
  union all
  select format('view %s.%s is not security_invoker', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'v' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and not coalesce(c.reloptions @> '{security_invoker=true}', false)
     -- The queue's own views hold no tenant's data, and the application cannot read them.
     and (n.nspname <> 'graphile_worker' or has_table_privilege('arbiter_app', c.oid, 'select'))
  union all
  select format('materialized view %s.%s', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'm'
  union all
  select format('role %s can bypass row-level security', rolname) from pg_roles
   where rolname in ('arbiter_owner', 'arbiter_app', 'arbiter_readonly', 'arbiter_system', 'arbiter_queue', 'arbiter_test_app')
     and (rolsuper or rolbypassrls)
  union all
  select format('role arbiter_app has the rights of %s without asking', other) from unnest(array[
      'arbiter_owner', 'arbiter_system', 'arbiter_queue', 'arbiter_readonly']) other
   where pg_has_role('arbiter_app', other, 'usage') or pg_has_role('arbiter_test_app', other, 'usage')
  union all
  select 'role arbiter_app can become the owner' where pg_has_role('arbiter_app', 'arbiter_owner', 'member')
  union all
  select format('everybody may create in schema %s', nspname) from pg_namespace where has_schema_privilege('public', oid, 'create')
  union all
  select format('%s: trigger %s', label, g.tgname) from tables t join pg_trigger g on g.tgrelid = t.oid
    join pg_proc p on p.oid = g.tgfoid
   where not g.tgisinternal and p.prosecdef`;
