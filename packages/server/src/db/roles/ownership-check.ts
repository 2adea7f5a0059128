import type pg from 'pg';
import { ConfigError } from '../../config.ts';
import { groupRoleNames } from './role-names.ts';

/**
 * Throws ConfigError for a schema that lost its owners or rights, as after `pg_restore` into a cluster without our
 * roles or with `--no-owner` or `--no-acl`. Every statement would fail with "permission denied", which doesn't say what
 * to do. Accepts a database without the schema.
 */
export async function assertOwnership(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ finding: string }>(findings);
  if (rows.length === 0) return;
  const { rows: missing } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regrole(name) is null order by name',
    [groupRoleNames],
  );
  const missingRoles =
    missing.length === 0 ? '' : `These roles don't exist: ${missing.map(({ name }) => name).join(', ')}. `;
  throw new ConfigError([
    `The database was restored without its roles or rights: ${rows.map(({ finding }) => finding).join('; ')}. ${missingRoles}` +
      'Create the roles first (pg_dumpall --roles-only), then restore again into an empty database, without --no-owner and --no-acl. ' +
      'See docs/guides/backup.md.',
  ]);
}

const findings = `
  with expected (schema, owner) as (values ('arbiter', 'arbiter_owner'), ('graphile_worker', 'arbiter_queue')),
  found as (
    select e.schema, e.owner, n.oid, pg_get_userbyid(n.nspowner)::text as actual
      from expected e join pg_namespace n on n.nspname = e.schema),
  relations as (
    select f.schema, f.owner, c.oid, pg_get_userbyid(c.relowner)::text as actual
      from found f join pg_class c on c.relnamespace = f.oid and c.relkind in ('r', 'p', 'v'))
  select format('schema %I belongs to %I, not to %I', schema, actual, owner) as finding from found where actual <> owner
  union all
  select format('%s tables of schema %I don''t belong to %I', count(*), schema, owner)
    from relations where actual <> owner group by schema, owner
  union all
  select 'arbiter_app has no rights on the tables of schema arbiter'
   where exists (select from relations where schema = 'arbiter')
     and not exists (select from relations r, pg_roles a
                      where r.schema = 'arbiter' and a.rolname = 'arbiter_app' and has_table_privilege(a.oid, r.oid, 'insert'))`;
