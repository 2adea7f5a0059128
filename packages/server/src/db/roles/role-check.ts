import pg from 'pg';
import { closeClient, connectionConfig } from '../connections/connection.ts';

/**
 * Returns why the URL's role may not run the server; empty means it may (docs/design/quality.md F2, T2). Row-level
 * security must bind the role itself, every role whose rights it inherits, and every role it can change to. The only
 * owner it may change to is `arbiter_queue`, whose tables hold no tenant data. We refuse all of PostgreSQL's own roles
 * (`pg_...`), including those of later versions, because the server doesn't need them: some write any table or run
 * programs, some end or lock other sessions' work, and `pg_read_all_data` exposes tenants' values past the policies
 * through the samples in `pg_statistic`. CREATEROLE can grant such roles, REPLICATION reads the files of all tenants,
 * and the database's owner can grant itself anything.
 */
export async function checkRole(url: string): Promise<string[]> {
  const client = new pg.Client(connectionConfig({ url, applicationName: 'arbiter role check' }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ finding: string }>(findings);
    return rows.map((row) => row.finding);
  } finally {
    await closeClient(client);
  }
}

// `member` covers every form of membership, including roles reachable by SET ROLE, on PostgreSQL 15 as well as 18.
const findings = `
  with reachable as (
    select r.oid, r.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolreplication,
           r.oid = me.oid as itself
      from pg_roles me, pg_roles r
     where me.rolname = session_user and (r.oid = me.oid or pg_has_role(me.oid, r.oid, 'member'))
  )
  select format('role %I is a superuser', rolname) as finding from reachable where rolsuper
  union all
  select format('role %I has BYPASSRLS', rolname) from reachable where rolbypassrls and not rolsuper
  union all
  select format('role %I has CREATEROLE', rolname) from reachable where rolcreaterole and not rolsuper
  union all
  select format('role %I has REPLICATION', rolname) from reachable where rolreplication and not rolsuper
  union all
  select case r.rolname when 'pg_database_owner' then format('role %I owns the database', session_user)
                        else format('role %I is a member of %I', session_user, r.rolname) end
    from reachable r
   where r.rolname ~ '^pg_' and not exists (select from reachable s where s.rolsuper)
  union all
  select distinct format('role %I owns objects of schema %I', r.rolname, n.nspname)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join reachable r on r.oid = c.relowner
   where not exists (select from reachable s where s.rolsuper)
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and (r.itself or r.rolname <> 'arbiter_queue' or n.nspname <> 'graphile_worker')
  union all
  select distinct format('role %I owns schema %I', r.rolname, n.nspname)
    from pg_namespace n join reachable r on r.oid = n.nspowner
   where not exists (select from reachable s where s.rolsuper)
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and (r.itself or r.rolname <> 'arbiter_queue' or n.nspname <> 'graphile_worker')
  union all
  select format('role %I is not a member of arbiter_app', session_user)
   where not coalesce(pg_has_role(session_user, to_regrole('arbiter_app')::oid, 'usage'), false)`;
