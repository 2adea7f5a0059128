import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { fingerprint } from '../operations/fingerprint.ts';
import { type PopulatedTenant, populate } from './world.ts';

/**
 * Attacks on row-level security as the application role, over every table that the product has once two tenants use it
 * (docs/design/quality.md T1, T2, F2 to F8). Tables come from the database's catalogue, so new ones are attacked too.
 */

interface Table {
  /** Qualified name. */
  readonly name: string;
  readonly tenantColumn: 'id' | 'tenant_id';
  readonly mayRead: boolean;
  /** Columns that an insert can name. */
  readonly columns: string;
}

let server: TestServer;
let attacker: pg.Client;
let a: PopulatedTenant;
let b: PopulatedTenant;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  [a, b] = [await populate(server, server.tenants[0]), await populate(server, server.tenants[1]!)];
  attacker = new pg.Client({ connectionString: server.testDatabase.url });
  await attacker.connect();
});
after(async () => {
  await attacker?.end();
  await server?.close();
});

const owner = <Row = Record<string, string>>(text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<Row>(text, values);
const schemaOf = ({ tenant }: PopulatedTenant) => `t_${tenant.id.replaceAll('-', '')}`;

/** Returns every table of the product and of both tenants. Partitions have a test of their own. */
const tables = () =>
  owner<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name,
            case when c.oid = 'arbiter.tenants'::regclass then 'id' else 'tenant_id' end as "tenantColumn",
            has_table_privilege('arbiter_app', c.oid, 'select') as "mayRead",
            (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
              where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('arbiter', $1, $2) and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'schema_migrations' order by 1`,
    [schemaOf(a), schemaOf(b)],
  );

/** Runs one statement as the application role for the tenant, and rolls it back. */
async function attack(text: string, values: unknown[] = [], tenantId: string = a.tenant.id): Promise<pg.QueryResult> {
  await attacker.query('begin');
  try {
    await attacker.query(
      `select set_config('app.tenant', $1, true), set_config('search_path', 'arbiter, pg_temp', true)`,
      [tenantId],
    );
    return await attacker.query(text, values);
  } finally {
    await attacker.query('rollback');
  }
}

/** Returns the SQLSTATE of the refusal. */
async function refusal(text: string, values: unknown[] = []): Promise<string> {
  try {
    await attack(text, values);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return String(error.code);
    throw error;
  }
  return 'not refused';
}

const denied = '42501';

/** Returns one row of a tenant in a table, as JSON. */
async function rowOf({ tenant }: PopulatedTenant, { name, tenantColumn }: Table): Promise<object | undefined> {
  const [found] = await owner<{ row: object }>(
    `select to_jsonb(t) as row from ${name} t where ${tenantColumn} = $1 limit 1`,
    [tenant.id],
  );
  return found?.row;
}

test('without a tenant every table is empty; garbage opens none', async () => {
  let read = 0;
  for (const { name, mayRead } of await tables()) {
    if (!mayRead) continue;
    read += 1;
    // Without the setting, and with the empty string that a transaction leaves behind (F5).
    for (const prepare of [
      'reset app.tenant',
      `begin; select set_config('app.tenant', '${b.tenant.id}', true); commit`,
      `begin; select set_config('app.tenant', '${b.tenant.id}', true); rollback`,
    ]) {
      await attacker.query(prepare);
      assert.equal((await attacker.query(`select 1 from ${name}`)).rowCount, 0, `${name} after ${prepare}`);
    }
  }
  assert.ok(read > 30, `${read} tables were read`);
  for (const garbage of [' ', '%', '*', b.tenant.id.slice(1), `${a.tenant.id},${b.tenant.id}`, "' or true --"]) {
    await assert.rejects(attack('select 1 from offers', [], garbage), { code: '22P02' }, garbage);
  }
});

test('a tenant reads, changes and deletes no rows of another in any table', async () => {
  const before = await fingerprint(server, [a.tenant.id, b.tenant.id]);
  const attacked: string[] = [];
  for (const table of await tables()) {
    const { name, tenantColumn } = table;
    const theirs = await rowOf(b, table);
    if (theirs === undefined) continue;
    attacked.push(name);
    if (table.mayRead) {
      const seen = await attack(`select 1 from ${name} where ${tenantColumn} <> $1`, [a.tenant.id]);
      assert.equal(seen.rowCount, 0, `${name}: rows of others`);
    }
    for (const text of [
      `update ${name} set ${tenantColumn} = ${tenantColumn} where ${tenantColumn} = $1`,
      `delete from ${name} where ${tenantColumn} = $1`,
    ]) {
      try {
        assert.equal((await attack(text, [b.tenant.id])).rowCount, 0, text);
      } catch (error) {
        assert.equal(Reflect.get(error as object, 'code'), denied, text);
      }
    }
    // WITH CHECK: a row in the other's name, whether new, copied or reassigned.
    const { columns } = table;
    const from = `select ${columns} from jsonb_populate_record(null::${name}, $1)`;
    const insert = `insert into ${name} (${columns}) overriding system value ${from}`;
    assert.equal(await refusal(insert, [theirs]), denied, `${name}: insert`);
    assert.equal(await refusal(`${insert} on conflict do nothing`, [theirs]), denied, `${name}: insert on conflict`);
    if ((await rowOf(a, table)) !== undefined) {
      const giveAway = `update ${name} set ${tenantColumn} = $1 where ${tenantColumn} = $2`;
      assert.equal(await refusal(giveAway, [b.tenant.id, a.tenant.id]), denied, `${name}: given away`);
    }
  }
  assert.ok(attacked.length >= 30, `only ${attacked.length} tables hold something: ${attacked.join(', ')}`);
  for (const name of ['arbiter.decisions', 'arbiter.decision_traces', 'arbiter.customer_states', 'arbiter.outbox']) {
    assert.ok(attacked.includes(name), name);
  }
  assert.ok(attacked.some((name) => name.startsWith(schemaOf(b))));
  assert.deepEqual(await fingerprint(server, [a.tenant.id, b.tenant.id]), before);
});

test('denies TRUNCATE, which ignores row-level security, and changes of structure on every table', async () => {
  for (const { name } of await tables()) {
    for (const text of [
      `truncate ${name}`,
      `alter table ${name} disable row level security`,
      `alter table ${name} no force row level security`,
      `drop policy tenant_isolation on ${name}`,
      `create policy mine on ${name} using (true)`,
      `alter table ${name} owner to arbiter_app`,
      `drop table ${name}`,
      `create trigger t before insert on ${name} for each row execute function suppress_redundant_updates_trigger()`,
    ]) {
      assert.equal(await refusal(text), denied, text);
    }
  }
});

test('F4: no partition can be read by its own name', async () => {
  const partitions = await owner(`select c.oid::regclass::text as name from pg_class c
    where c.relispartition and c.relkind = 'r' and c.relnamespace = 'arbiter'::regnamespace`);
  assert.ok(partitions.length >= 8, `${partitions.length}`);
  for (const { name } of partitions) {
    for (const text of [`select 1 from ${name}`, `delete from ${name}`, `insert into ${name} default values`]) {
      assert.equal(await refusal(text), denied, text);
    }
  }
});

test('F7: no foreign key accepts a row of another tenant', async () => {
  const keys = await owner<{ name: string; child: string; parent: string; columns: string[]; targets: string[] }>(
    `select k.conname as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
            array(select a.attname::text from unnest(k.conkey) with ordinality c (num, place)
                    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.num order by c.place) as columns,
            array(select a.attname::text from unnest(k.confkey) with ordinality c (num, place)
                    join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.num order by c.place) as targets
       from pg_constraint k join pg_class c on c.oid = k.conrelid
      where k.contype = 'f' and c.relnamespace = 'arbiter'::regnamespace and not c.relispartition
        and k.confrelid <> 'arbiter.tenants'::regclass`,
  );
  let tried = 0;
  for (const { name, child, parent, columns, targets } of keys) {
    assert.equal(columns[0], 'tenant_id', name);
    const [own, theirs] = [columns.slice(1), targets.slice(1)];
    const [target] = await owner(`select to_jsonb(p) as row from ${parent} p where tenant_id = $1 limit 1`, [
      b.tenant.id,
    ]);
    const [row] = await owner(`select ctid::text as place from ${child} where tenant_id = $1 limit 1`, [a.tenant.id]);
    if (target === undefined || row === undefined) continue;
    tried += 1;
    const values = theirs.map((column) => Reflect.get(target.row as unknown as object, column));
    const set = own.map((column, index) => `${column} = $${index + 1}`).join(', ');
    // As the superuser, who bypasses policies: the key alone must refuse.
    await assert.rejects(
      owner(`update ${child} set ${set} where ctid = '${row.place}'::tid`, values),
      (error) => ['23503', '23514'].includes(String(Reflect.get(error as object, 'code'))),
      name,
    );
  }
  assert.ok(tried >= 8, `${tried} of ${keys.length} foreign keys were tried`);
});

test("functions with the owner's rights act only inside the caller's tenant", async () => {
  const [table] = await owner(`select tablename as name from pg_tables where schemaname = $1 limit 1`, [schemaOf(b)]);
  const name = table!.name!;
  const exists = async () =>
    (await owner(`select 1 from pg_tables where schemaname = $1 and tablename = $2`, [schemaOf(b), name])).length === 1;
  const column = JSON.stringify({ name: 'planted', dataType: 'text', isNullable: true });
  for (const [text, values] of [
    ['select ds_add_column($1, $2::jsonb)', [name, column]],
    ['select ds_drop_column($1, $2)', [name, 'client']],
    ['select ds_index_column($1, $2)', [name, 'client']],
    ['select repair_rls($1, $2)', [schemaOf(b), name]],
    ['select ds_drop_table($1)', [`${schemaOf(b)}.${name}`]],
    ['select ds_drop_table($1)', [`../${schemaOf(b)}"."${name}`]],
  ] as const) {
    assert.notEqual(await refusal(text, [...values]), 'not refused', text);
  }
  // Unqualified, the name means the caller's own schema, which has no such table.
  await attack('select ds_drop_table($1)', [name]);
  assert.ok(await exists());
  // Without a tenant they do nothing.
  await attacker.query('reset app.tenant');
  for (const text of [
    `select arbiter.ds_create_table('ds_x', '[]', null, 'id')`,
    `select arbiter.ds_drop_table('${name}')`,
    `select arbiter.ds_add_column('${name}', '{"name":"x","dataType":"text"}')`,
  ]) {
    await assert.rejects(attacker.query(text), /no tenant is set/, text);
  }
  const seen = await attack(`select table_schema from rls_report()`);
  assert.ok(!JSON.stringify(seen.rows).includes(schemaOf(b)), 'the report names no table of others');
});
