import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { keys, tenantA, tenantB } from '../../../http/test-app.ts';
import { createTestSchemas, fieldsUrl, type TestSchemas, url } from './test-schemas.ts';

let kit: TestSchemas;
let canary: string;
let victim: string;
before(async () => {
  kit = await createTestSchemas();
  const made = await kit.call(
    'POST',
    url,
    { name: 'canary', displayName: 'Canary', fields: [{ name: 'secret' }] },
    keys.otherTenant,
  );
  canary = made.json.id;
  await kit.call('POST', `${url}/${canary}/data`, { rows: [{ secret: 'of tenant B' }] }, keys.otherTenant);
  const own = await kit.create({ name: 'own', fields: [{ name: 'customer_id', isPrimaryKey: true }, { name: 'v' }] });
  victim = own.id;
  await kit.insert(victim, [{ customer_id: 'a', v: '1' }]);
});
after(() => kit.db.close());

/** Everything that an attack could have changed: tables, their rows and columns, policies, rights, the tenant's setting. */
async function fingerprint(): Promise<unknown> {
  const [canaryRows, ownRows, tables, columns, policies, rights, records] = await Promise.all([
    kit.db.ownerQuery(`select * from t_${tenantB.replaceAll('-', '')}.ds_canary`),
    kit.db.ownerQuery(`select * from t_${tenantA.replaceAll('-', '')}.ds_own`),
    kit.db.ownerQuery(
      `select schemaname, tablename, rowsecurity from pg_tables where schemaname !~ '^pg_' order by 1, 2`,
    ),
    kit.db.ownerQuery(
      `select table_schema, table_name, column_name, data_type, column_default from information_schema.columns
       where table_schema like 't\\_%' or table_schema = 'arbiter' order by 1, 2, 3`,
    ),
    kit.db.ownerQuery(
      'select polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid) from pg_policy order by 1, 2',
    ),
    kit.db.ownerQuery('select relname, relacl::text from pg_class order by oid'),
    kit.db.ownerQuery('select id, version from arbiter.schemas order by id'),
  ]);
  return { canaryRows, ownRows, tables, columns, policies, rights, records };
}

const payloads = [
  '"; drop table arbiter.schemas cascade; --',
  "'; drop table arbiter.schemas cascade; --",
  `x"); drop table t_${tenantB.replaceAll('-', '')}.ds_canary; --`,
  'varchar); drop table arbiter.schemas; --',
  "1); select set_config('app.tenant', '', false); --",
  '(select secret from ds_canary)',
  "nextval('arbiter.x')",
  'now(); drop table arbiter.schemas',
  'pg_sleep(10) is null',
  "query_to_xml('select 1', true, true, '')",
  '$$; drop table arbiter.schemas; $$',
  '%I %s %L',
  '\\"; --',
  'a\u2028b',
  'tenant_id',
  'ctid',
];

test('no identifier, type, default, key, filter or cursor reaches the database as SQL (T3)', async () => {
  const before = await fingerprint();
  for (const payload of payloads) {
    const text = encodeURIComponent(payload);
    const attempts = await Promise.all([
      kit.call('POST', url, { name: 'n', displayName: 'S', fields: [{ name: payload }] }),
      kit.call('POST', url, { name: 'n', displayName: 'S', fields: [{ name: 'a', dataType: payload }] }),
      kit.call('POST', url, {
        name: 'n',
        displayName: 'S',
        fields: [{ name: 'a', dataType: 'integer', defaultValue: payload }],
      }),
      kit.call('POST', url, { name: 'n', displayName: 'S', fields: [{ name: 'a', length: payload }] }),
      kit.call('POST', url, { name: 'n', displayName: 'S', schemaType: `${payload} ` }),
      kit.call('POST', fieldsUrl, { schemaId: victim, name: payload, dataType: 'text' }),
      kit.call('POST', fieldsUrl, { schemaId: victim, name: 'n', dataType: `varchar(${payload})` }),
      kit.call('POST', fieldsUrl, { schemaId: victim, name: 'n', dataType: 'timestamptz', defaultValue: payload }),
      kit.call('POST', fieldsUrl, { schemaId: payload, name: 'n', dataType: 'text' }),
      kit.call('DELETE', `${fieldsUrl}?fieldId=${text}`),
      kit.call('DELETE', `${url}?id=${text}`),
      kit.insert(victim, [{ customer_id: 'b', [payload]: 1 }]),
      kit.insert(victim, [{ customer_id: 'b' }], payload),
      kit.call('GET', `${url}?cursor=${text}`),
      kit.call('GET', `${url}?limit=${text}`),
      kit.rows(victim, `?offset=${text}`),
      kit.call('GET', `${url}/${text}/data`),
    ]);
    attempts.forEach((answer, index) => {
      assert.ok([400, 404].includes(answer.status), `${payload} at ${index}: ${answer.status} ${answer.text}`);
    });
    const harmless = await Promise.all([
      kit.rows(victim, `?key=${text}`),
      kit.call('GET', `${url}?search=${text}`),
      kit.call('GET', `${url}?schemaType=${encodeURIComponent(payload.slice(0, 32))}`),
    ]);
    for (const answer of harmless) {
      assert.equal(answer.status, 200, `${payload}: ${answer.text}`);
      assert.ok(!answer.text.includes('of tenant B'));
    }
  }
  assert.deepEqual(await fingerprint(), before);
});

test('properties that hold any text keep it as text', async () => {
  for (const [index, payload] of payloads.entries()) {
    const schema = await kit.create({
      name: `text_${index}`,
      description: payload,
      summaryColumns: [payload],
      joinMapping: { note: payload },
      fields: [
        { name: 'customer_id', isPrimaryKey: true },
        { name: 'v', defaultValue: payload, description: payload },
      ],
    });
    assert.deepEqual(
      [schema.description, schema.summaryColumns[0], schema.fields[1].defaultValue],
      [payload, payload, payload],
    );
    assert.equal((await kit.insert(schema.id, [{ customer_id: payload }])).status, 201);
    await kit.db.ownerQuery(
      `insert into t_${tenantA.replaceAll('-', '')}.${schema.tableName} (tenant_id, customer_id) values ($1, 'by table')`,
      [tenantA],
    );
    const { rows } = (await kit.rows(schema.id)).json;
    assert.ok(rows.some((row: { customer_id: string }) => row.customer_id === payload));
    assert.ok(rows.every((row: { v: string }) => row.v === payload));
    assert.equal((await kit.rows(schema.id, `?key=${encodeURIComponent(payload)}`)).json.total, 1);
  }
});

test('a name that is all payload becomes harmless', async () => {
  const schema = await kit.create({ name: payloads[0] });
  assert.match(schema.name, /^[a-z0-9_]{1,60}$/);
  assert.equal((await kit.rows(schema.id)).status, 200);
});

test('the functions that create tables trust nobody, not even the application role', async () => {
  const before = await fingerprint();
  const column = (values: Record<string, unknown>) =>
    JSON.stringify([{ name: 'a', dataType: 'text', isNullable: true, ...values }]);
  const calls: [string, unknown[]][] = [];
  for (const payload of payloads) {
    calls.push(
      ['select arbiter.ds_create_table($1, $2::jsonb, null, $3)', [payload, column({}), 'id']],
      ['select arbiter.ds_create_table($1, $2::jsonb, null, $3)', ['ds_t', column({ name: payload }), 'id']],
      ['select arbiter.ds_create_table($1, $2::jsonb, null, $3)', ['ds_t', column({ dataType: payload }), 'id']],
      [
        'select arbiter.ds_create_table($1, $2::jsonb, null, $3)',
        ['ds_t', column({ default: { function: payload } }), 'id'],
      ],
      ['select arbiter.ds_create_table($1, $2::jsonb, $3, $4)', ['ds_t', column({}), payload, 'id']],
      ['select arbiter.ds_create_table($1, $2::jsonb, null, $3)', ['ds_t', column({}), payload]],
      ['select arbiter.ds_add_column($1, $2::jsonb)', ['ds_own', column({ name: payload }).slice(1, -1)]],
      ['select arbiter.ds_drop_column($1, $2)', ['ds_own', payload]],
      ['select arbiter.ds_index_column($1, $2)', ['ds_own', payload]],
      ['select arbiter.ds_drop_table($1)', [payload]],
    );
  }
  calls.push(
    ['select arbiter.ds_drop_column($1, $2)', ['ds_canary', 'secret']],
    ['select arbiter.ds_drop_column($1, $2)', ['schemas', 'name']],
    ['select arbiter.ds_drop_table($1)', ['schemas']],
    ['select arbiter.ds_column($1::jsonb)', ['{}']],
    ['select arbiter.ds_schema()', []],
    ['drop table ds_canary', []],
    [`create table t_${tenantA.replaceAll('-', '')}.mine (x int)`, []],
    [`alter table t_${tenantA.replaceAll('-', '')}.ds_own disable row level security`, []],
    [`truncate t_${tenantA.replaceAll('-', '')}.ds_own`, []],
  );
  for (const [text, values] of calls) {
    await assert.rejects(
      kit.db.database.withTenant(tenantA, systemActor('test'), (tx) => tx.query(text, values)),
      `${text} ${JSON.stringify(values)}`,
    );
  }
  await assert.rejects(
    kit.db.database.withSystem('test', (tx) => tx.query('select arbiter.ds_drop_table($1)', ['ds_own'])),
    'without a tenant there is nothing to drop',
  );
  assert.deepEqual(await fingerprint(), before);
});

test("another tenant's table shows and accepts nothing, whatever name is used", async () => {
  const theirs = `t_${tenantB.replaceAll('-', '')}.ds_canary`;
  const asA = (text: string, values: unknown[] = []) =>
    kit.db.database.withTenant(tenantA, systemActor('test'), (tx) => tx.query(text, values));
  assert.deepEqual(await asA(`select * from ${theirs}`), []);
  assert.deepEqual(await asA(`update ${theirs} set secret = 'taken' returning 1`), []);
  assert.deepEqual(await asA(`delete from ${theirs} returning 1`), []);
  await assert.rejects(asA(`insert into ${theirs} (secret) values ('x')`));
  await assert.rejects(asA(`insert into ${theirs} (tenant_id, secret) values ($1, 'x')`, [tenantB]));
  const rows = await kit.db.ownerQuery<{ secret: string }>(`select secret from ${theirs}`);
  assert.deepEqual(
    rows.map((row) => row.secret),
    ['of tenant B'],
  );
  const random = await kit.call('GET', `${url}/${tenantA}/data`);
  const foreign = await kit.call('GET', `${url}/${canary}/data`);
  assert.deepEqual({ ...foreign.json, requestId: '' }, { ...random.json, requestId: '' });
});
