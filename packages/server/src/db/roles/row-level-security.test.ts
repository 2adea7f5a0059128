import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { firstIdAt, idAt, newId } from '../../platform/ids.ts';
import { systemActor } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { createTestDatabase, type TestDatabase, withUser } from '../test-database.ts';
import { checkRole } from './role-check.ts';

let db: TestDatabase;
const [tenantA, tenantB] = [newId(), newId()];
const actor = systemActor('test');
const denied = (error: unknown) => error instanceof DatabaseError && error.kind === 'insufficient_privilege';

before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery(`
    create table arbiter.parted (tenant_id uuid not null, id uuid not null, marker text, primary key (tenant_id, id))
      partition by range (id);
    alter table arbiter.parted owner to arbiter_owner;
    select arbiter.protect_table('arbiter.parted');
    select arbiter.ensure_month_partitions('arbiter.parted', date '2026-11-20', 3)`);
  for (const tenant of [tenantA, tenantB]) {
    await db.database.withTenant(tenant, actor, async (tx) => {
      await tx.query('insert into tenants (id, name) values ($1, $2)', [tenant, `tenant ${tenant}`]);
      await tx.query('insert into parted values ($1, $2, $3)', [tenant, idAt(Date.UTC(2026, 11, 5)), tenant]);
      tx.touchCatalogue();
    });
  }
});
after(() => db.close());

/** Returns every table of the schema with tenant data, as the superuser sees them. */
async function tables(): Promise<{ name: string; partition: boolean }[]> {
  return db.ownerQuery(`
    select c.oid::regclass::text as name, c.relispartition as partition
      from pg_class c where c.relnamespace = 'arbiter'::regnamespace and c.relkind in ('r', 'p')
       and c.relname <> 'schema_migrations' order by 1`);
}

test('T2a: the catalogue has no findings', async () => {
  const findings = await db.ownerQuery(`
    with tenant_tables as (
      select c.* from pg_class c where c.relnamespace = 'arbiter'::regnamespace and c.relkind in ('r', 'p')
         and c.relname <> 'schema_migrations')
    select format('%s: row-level security is not enabled and forced', relname) as finding
      from tenant_tables where not (relrowsecurity and relforcerowsecurity)
    union all
    select format('%s: no policy tenant_isolation for all commands and roles', relname) from tenant_tables t
     where not exists (select from pg_policy p where p.polrelid = t.oid and p.polname = 'tenant_isolation'
                          and p.polcmd = '*' and p.polroles = '{0}' and p.polqual is not null and p.polwithcheck is not null)
    union all
    select format('%s: other policy %s', t.relname, p.polname) from tenant_tables t join pg_policy p on p.polrelid = t.oid
     where p.polname <> 'tenant_isolation' and p.polroles <> array['arbiter_system'::regrole::oid]
    union all
    select format('%s: owned by %s', relname, relowner::regrole) from tenant_tables where relowner <> 'arbiter_owner'::regrole
    union all
    select format('%s: no tenant_id uuid not null', t.relname) from tenant_tables t
     where t.relname <> 'tenants' and not exists (
       select from pg_attribute a where a.attrelid = t.oid and a.attname = 'tenant_id'
          and a.atttypid = 'uuid'::regtype and a.attnotnull)
    union all
    -- Anywhere in the index: some lead with another column, so that planners never read all of a tenant (docs/adr/0102).
    select format('%s: unique index %s does not name tenant_id', t.relname, i.indexrelid::regclass)
      from tenant_tables t join pg_index i on i.indrelid = t.oid
     where i.indisunique and t.relname <> 'tenants'
       and not exists (select from pg_attribute a
         where a.attrelid = t.oid and a.attname = 'tenant_id' and a.attnum = any (i.indkey::int2[]))
       -- Of addresses before there is a tenant: no tenant can reach it.
       and not (t.relname = 'registration_claims' and not has_table_privilege('arbiter_app', t.oid, 'SELECT, INSERT, UPDATE, DELETE'))
    union all
    select format('%s: foreign key %s does not lead with tenant_id', t.relname, k.conname)
      from tenant_tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
     where a.attname <> 'tenant_id'
    union all
    select format('%s: %s may %s', t.relname, acl.grantee::regrole, lower(acl.privilege_type))
      from tenant_tables t, aclexplode(t.relacl) acl
     where acl.grantee <> 'arbiter_owner'::regrole and acl.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    union all
    select format('%s: rights for everybody', t.relname) from tenant_tables t, aclexplode(t.relacl) acl where acl.grantee = 0
    union all
    select format('function %s: SECURITY DEFINER without a fixed search_path', p.oid::regprocedure) from pg_proc p
     where p.prosecdef and p.pronamespace in ('arbiter'::regnamespace, 'graphile_worker'::regnamespace)
       and not exists (select from unnest(p.proconfig) c where c like 'search_path=%')
    union all
    select format('function %s: callable by everybody', p.oid::regprocedure) from pg_proc p
     where p.pronamespace = 'arbiter'::regnamespace and has_function_privilege('public', p.oid, 'execute')
    union all
    select format('view %s is not security_invoker', c.relname) from pg_class c
     where c.relnamespace = 'arbiter'::regnamespace and c.relkind = 'v' and not coalesce(c.reloptions @> '{security_invoker=true}', false)
    union all
    select format('materialized view %s', c.relname) from pg_class c
     where c.relnamespace = 'arbiter'::regnamespace and c.relkind = 'm'
    union all
    select format('role %s can bypass', rolname) from pg_roles where rolname like 'arbiter\\_%' and (rolsuper or rolbypassrls)
       and rolname <> 'arbiter_admin'`);
  assert.deepEqual(
    findings.map((row) => row.finding),
    [],
  );
});

test('T2b: without a tenant every table is empty for the application role', async () => {
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  try {
    const seen: string[] = [];
    for (const { name, partition } of await tables()) {
      const { rows } = await client.query<{ readable: boolean }>(
        `select has_table_privilege($1::regclass, 'select') as readable`,
        [name],
      );
      if (!rows[0]!.readable) continue;
      assert.equal(partition, false, `${name} is readable by its own name`);
      // Twice: with the setting never set, and with the empty string that a transaction leaves behind (F5).
      for (const prepare of [
        'reset app.tenant',
        `begin; select set_config('app.tenant', '${tenantA}', true); commit`,
      ]) {
        await client.query(prepare);
        const { rowCount } = await client.query(`select 1 from ${name}`);
        assert.equal(rowCount, 0, name);
      }
      seen.push(name);
    }
    assert.ok(seen.includes('arbiter.tenants') && seen.includes('arbiter.parted'), seen.join());
  } finally {
    await client.end();
  }
});

test('a tenant sees and changes only its own rows', async () => {
  await db.database.withTenant(tenantA, actor, async (tx) => {
    assert.deepEqual(await tx.query('select id from tenants'), [{ id: tenantA }]);
    assert.deepEqual(await tx.query('select marker from parted'), [{ marker: tenantA }]);
    assert.deepEqual(await tx.query('select marker from parted where tenant_id = $1', [tenantB]), []);
    assert.deepEqual(
      await tx.query('update parted set marker = $1 where tenant_id = $2 returning 1', ['x', tenantB]),
      [],
    );
    assert.deepEqual(await tx.query('delete from parted where tenant_id = $1 returning 1', [tenantB]), []);
  });
  for (const text of [
    'insert into parted (tenant_id, id) values ($1, $2)',
    'update parted set tenant_id = $1 where id <> $2',
  ]) {
    const attempt = db.database.withTenant(tenantA, actor, (tx) =>
      tx.query(text, [tenantB, idAt(Date.UTC(2026, 11, 6))]),
    );
    await assert.rejects(attempt, denied, text);
  }
});

test("F4: a partition can't be read by name, and has the policy too", async () => {
  for (const name of ['parted_y2026m11', 'parted_y2026m12', 'parted_y2027m01']) {
    await assert.rejects(
      db.database.withTenant(tenantA, actor, (tx) => tx.query(`select * from ${name}`)),
      denied,
      name,
    );
  }
  // Holds even when someone grants it.
  await db.ownerQuery('grant select on arbiter.parted_y2026m12 to arbiter_app');
  const rows = await db.database.withTenant(tenantA, actor, (tx) => tx.query('select marker from parted_y2026m12'));
  assert.deepEqual(rows, [{ marker: tenantA }]);
  await db.ownerQuery('revoke select on arbiter.parted_y2026m12 from arbiter_app');
});

test('month partitions: UUIDv7 bounds, repeatable, created once by many', async () => {
  const ensure = (months: number) =>
    db.database.withSystem('partitions', async (tx) => {
      const [row] = await tx.query<{ made: number }>(
        `select arbiter.ensure_month_partitions('arbiter.parted', date '2026-11-20', $1) as made`,
        [months],
      );
      return row!.made;
    });
  assert.equal(await ensure(3), 0);
  const made = await Promise.all(Array.from({ length: 6 }, () => ensure(5)));
  assert.equal(
    made.reduce((sum, each) => sum + each, 0),
    2,
  );
  const [bounds] = await db.ownerQuery<{ bounds: string }>(
    `select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = 'parted_y2026m12'`,
  );
  assert.equal(
    bounds!.bounds,
    `FOR VALUES FROM ('${firstIdAt(Date.UTC(2026, 11))}') TO ('${firstIdAt(Date.UTC(2027, 0))}')`,
  );
  const [edge] = await db.ownerQuery(`select arbiter.first_id_at(date '2026-12-01') = $1::uuid as same`, [
    firstIdAt(Date.UTC(2026, 11)),
  ]);
  assert.deepEqual(edge, { same: true });
});

test('rejects month partitions of other tables or absurd ranges', async () => {
  for (const [table, from, months] of [
    ['arbiter.tenants', '2026-11-01', 1],
    ['pg_class', '2026-11-01', 1],
    ['arbiter.parted', '2026-11-01', 121],
    ['arbiter.parted', '1969-01-01', 1],
    ['arbiter.parted', '9999-01-01', 1],
  ]) {
    await assert.rejects(
      db.database.withTenant(tenantA, actor, (tx) =>
        tx.query('select arbiter.ensure_month_partitions($1::regclass, $2::date, $3)', [table, from, months]),
      ),
      (error) => error instanceof DatabaseError && error.kind === 'raised',
    );
  }
});

test("the application role owns nothing, changes no structure and can't call helpers of the migrations", async () => {
  for (const text of [
    'truncate parted',
    'alter table parted disable row level security',
    'drop policy tenant_isolation on parted',
    'create table arbiter.mine (id int)',
    'drop table parted',
    `select arbiter.protect_table('arbiter.parted')`,
    `select arbiter.open_to_system('arbiter.parted', 'select')`,
    'set local role arbiter_owner',
    'grant select on parted_y2026m11 to arbiter_app',
    'create schema t_evil',
    'insert into schema_migrations values ($$x$$, $$y$$)',
  ]) {
    await assert.rejects(
      db.database.withTenant(tenantA, actor, (tx) => tx.query(text)),
      denied,
      text,
    );
  }
});

test('the system role reaches exactly the tables opened to it', async () => {
  const opened = new Set(
    (
      await db.ownerQuery<{ name: string }>(
        `select polrelid::regclass::text as name from pg_policy where 'arbiter_system'::regrole = any (polroles)`,
      )
    ).map((row) => row.name),
  );
  assert.ok(opened.has('arbiter.tenants'));
  for (const { name } of await tables()) {
    const [right] = await db.ownerQuery<{ any: boolean }>(
      `select has_any_column_privilege('arbiter_system', $1::regclass, 'select, insert, update') or
              has_table_privilege('arbiter_system', $1::regclass, 'delete') as any`,
      [name],
    );
    assert.equal(right!.any, opened.has(name), name);
  }
  const rows = await db.database.withSystem('test', (tx) => tx.query('select id from tenants'));
  assert.ok(rows.length >= 2);
});

test('T2: the role check rejects every role that could bypass the policies', async () => {
  assert.deepEqual(await checkRole(db.url), []);
  assert.match((await checkRole(db.adminUrl)).join(), /superuser/);
  const refused = async (setUp: string, pattern: RegExp) => {
    const name = `test_role_${newId().slice(-12)}`;
    await db.ownerQuery(`create role ${name} login in role arbiter_app`);
    try {
      await db.ownerQuery(setUp.replaceAll('ROLE', name));
      assert.match((await checkRole(withUser(db.url, name))).join(), pattern);
    } finally {
      await db.ownerQuery(`drop owned by ${name}; drop role ${name}`);
    }
  };
  await refused('alter role ROLE bypassrls', /BYPASSRLS/);
  await refused('alter role ROLE createrole', /has CREATEROLE/);
  await refused('alter role ROLE replication', /has REPLICATION/);
  await refused('grant arbiter_owner to ROLE', /arbiter_owner owns objects of schema arbiter/);
  await refused(
    'create table public.theirs (id int); alter table public.theirs owner to ROLE',
    /owns objects of schema public/,
  );
  await refused('create schema authorization ROLE', /owns schema/);
  await refused('revoke arbiter_app from ROLE', /not a member of arbiter_app/);
});

test("T2: the role check rejects members of PostgreSQL's own roles, even through another role", async () => {
  const brought = await db.ownerQuery<{ name: string }>(
    `select rolname as name from pg_roles where rolname ~ '^pg_' and rolname <> 'pg_database_owner' order by 1`,
  );
  const names = brought.map((role) => role.name);
  for (const name of ['pg_write_all_data', 'pg_read_all_data', 'pg_execute_server_program', 'pg_signal_backend']) {
    assert.ok(names.includes(name), name);
  }
  const [login, between] = [`test_role_${newId().slice(-12)}`, `test_role_${newId().slice(-12)}`];
  await db.ownerQuery(`create role ${login} login in role arbiter_app; create role ${between}`);
  try {
    const url = withUser(db.url, login);
    assert.deepEqual(await checkRole(url), []);
    for (const name of names) {
      await db.ownerQuery(`grant ${name} to ${login}`);
      assert.ok((await checkRole(url)).includes(`role ${login} is a member of ${name}`), name);
      // Includes roles whose rights aren't inherited: it can still change to them.
      await db.ownerQuery(
        `revoke ${name} from ${login}; grant ${name} to ${between}; grant ${between} to ${login};
         alter role ${login} noinherit`,
      );
      assert.ok((await checkRole(url)).includes(`role ${login} is a member of ${name}`), `${name} through another`);
      await db.ownerQuery(
        `revoke ${between} from ${login}; revoke ${name} from ${between}; alter role ${login} inherit`,
      );
    }
    assert.deepEqual(await checkRole(url), []);
    const [{ database } = { database: '' }] = await db.ownerQuery<{ database: string }>(
      'select current_database() as database',
    );
    await db.ownerQuery(`alter database ${database} owner to ${login}`);
    assert.match((await checkRole(url)).join(), /owns the database/);
    await db.ownerQuery(`alter database ${database} owner to arbiter_owner`);
  } finally {
    await db.ownerQuery(`drop role ${login}; drop role ${between}`);
  }
});

test("T2: the application can't create temporary tables, which are searched first", async () => {
  await assert.rejects(
    db.database.withTenant(tenantA, actor, (tx) => tx.query('create temporary table offers (id int)')),
    (error) => error instanceof DatabaseError && error.kind === 'insufficient_privilege',
  );
});

test("the report lists the tenant's tables, and a repair restores a table", async () => {
  const report = () =>
    db.database.withTenant(tenantA, actor, (tx) =>
      tx.query<{ table_name: string; rls_forced: boolean; policies: string[] }>(
        `select * from arbiter.rls_report() where table_name in ('parted_y2026m11', 'tenants')`,
      ),
    );
  await db.ownerQuery(`
    alter table arbiter.parted_y2026m11 no force row level security, disable row level security;
    drop policy tenant_isolation on arbiter.parted_y2026m11; drop policy tenant_isolation on arbiter.tenants`);
  assert.ok((await report()).every((row) => !row.policies.includes('tenant_isolation')));
  await db.database.withTenant(tenantA, actor, async (tx) => {
    await tx.query(`select arbiter.repair_rls('arbiter', 'parted_y2026m11')`);
    await tx.query(`select arbiter.repair_rls('arbiter', 'tenants')`);
  });
  assert.ok((await report()).every((row) => row.policies.includes('tenant_isolation') && row.rls_forced));
  // A tenant can't see another tenant's own schema.
  const foreign = `t_${tenantB.replaceAll('-', '')}`;
  await db.ownerQuery(`
    create schema ${foreign} authorization arbiter_owner;
    create table ${foreign}.ds_x (tenant_id uuid not null);
    alter table ${foreign}.ds_x owner to arbiter_owner`);
  await assert.rejects(
    db.database.withTenant(tenantA, actor, (tx) => tx.query('select arbiter.repair_rls($1, $2)', [foreign, 'ds_x'])),
    (error) => error instanceof DatabaseError && error.kind === 'raised',
  );
  await db.database.withTenant(tenantB, actor, (tx) =>
    tx.query('select arbiter.repair_rls($1, $2)', [foreign, 'ds_x']),
  );
});
