import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { tenantA } from '../../../http/test-app.ts';
import { newId } from '../../../platform/ids.ts';
import { createField } from './fields/fields.service.ts';
import { changeOfTable } from './table-changes.ts';
import { createTestSchemas, fieldsUrl, type TestSchemas, url } from './test-schemas.ts';

/** Columns of tables with more rows than a change goes through at once. */

let kit: TestSchemas;
let schema: { id: string; tableName: string; fields: { id: string }[] };
const many = 25_000;
before(async () => {
  kit = await createTestSchemas();
});
after(() => kit.db.close());

const tableOf = (name: string) => `t_${tenantA.replaceAll('-', '')}.${name}`;
const owner = <Row>(text: string, values: unknown[] = []) =>
  kit.db.ownerQuery<Row & Record<string, unknown>>(text, values);

beforeEach(async () => {
  schema = await kit.create({
    fields: [{ name: 'member', isPrimaryKey: true }, { name: 'customer_id' }, { name: 'customerId' }],
  });
  await owner(
    `insert into ${tableOf(schema.tableName)} (tenant_id, member, customer_id, "customerId")
     select $1::uuid, 'm' || n, 'c' || n, 'd' || n from generate_series(1, ${many}) n`,
    [tenantA],
  );
});

const add = (body: Record<string, unknown>) =>
  kit.call('POST', fieldsUrl, { schemaId: schema.id, dataType: 'text', ...body });
const columnNames = async () =>
  (
    await owner<{ name: string }>(
      `select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [tableOf(schema.tableName)],
    )
  ).map(({ name }) => name);
const version = async () => (await kit.call('GET', `${url}/${schema.id}`)).json.version;
const indexesOn = (column: string) =>
  owner<{ indexdef: string }>(
    `select indexdef from pg_indexes where schemaname || '.' || tablename = $1 and indexdef like '%(tenant_id, ' || $2 || ')'`,
    [tableOf(schema.tableName), column],
  );
const file = async () =>
  (await owner<{ file: string }>('select pg_relation_filenode($1)::text as file', [tableOf(schema.tableName)]))[0]
    ?.file;

describe('a field of a large table', () => {
  test('with a constant, now() or no default changes only the description of the table', async () => {
    const before = await file();
    for (const body of [
      { name: 'a', dataType: 'integer', isNullable: false, defaultValue: 7 },
      { name: 'b', dataType: 'timestamptz', isNullable: false, defaultValue: 'now()' },
      { name: 'c', dataType: 'numeric(10,2)' },
    ]) {
      assert.equal((await add(body)).status, 201);
    }
    assert.equal(await file(), before);
    const [row] = (await kit.rows(schema.id, '?limit=1')).json.rows;
    assert.deepEqual([row.a, row.c, typeof row.b], [7, null, 'string']);
    assert.equal(await version(), 4);
  });

  test('that is unique and filled row by row is complete when the call returns', async () => {
    const before = await file();
    const field = await add({
      name: 'token',
      dataType: 'varchar(40)',
      isNullable: false,
      isUnique: true,
      defaultValue: 'gen_random_uuid()',
    });
    assert.equal(field.status, 201, field.text);
    assert.equal(await file(), before);
    const [counted] = await owner<{ all: number; different: number }>(
      `select count(token)::int as all, count(distinct token)::int as different from ${tableOf(schema.tableName)}`,
    );
    assert.deepEqual(counted, { all: many, different: many });
    const [column] = await owner<{ required: boolean }>(
      `select attnotnull as required from pg_attribute where attrelid = $1::regclass and attname = 'token'`,
      [tableOf(schema.tableName)],
    );
    assert.equal(column?.required, true);
    const checks = await owner(
      `select conname from pg_constraint where conrelid = $1::regclass and conname like '%filled'`,
      [tableOf(schema.tableName)],
    );
    assert.deepEqual(checks, []);
    assert.equal(await version(), 2, 'one change, however many steps');
    const audits = await owner(`select id from arbiter.audit_logs where entity_id = $1 and action = 'update'`, [
      schema.id,
    ]);
    assert.equal(audits.length, 1);
    // The rule applies to new rows, and they get the default.
    assert.equal((await kit.insert(schema.id, [{ member: 'x', token: 'same' }])).json.inserted, 1);
    assert.equal((await kit.insert(schema.id, [{ member: 'y', token: 'same' }])).json.skipped, 1);
    assert.equal((await kit.insert(schema.id, [{ member: 'z' }])).json.inserted, 1);
  });

  test('that the number of rows makes impossible is rejected, and leaves nothing behind', async () => {
    const before = await columnNames();
    for (const [body, path] of [
      [{ name: 'u', isUnique: true, defaultValue: 'same' }, '/isUnique'],
      [{ name: 'n', isUnique: true, isNullable: false }, '/defaultValue'],
      [{ name: 'm', isNullable: false }, '/defaultValue'],
    ] as const) {
      const refused = await add(body);
      assert.deepEqual([refused.status, refused.json.errors[0].path], [400, path], refused.text);
    }
    assert.deepEqual([await columnNames(), await version()], [before, 1]);
  });

  test('can be added once under one name, by either of two calls at once', async () => {
    const unique = { name: 'Twin', isUnique: true };
    const answers = await Promise.all([add(unique), add({ ...unique, name: 'twin' })]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    const columns = await columnNames();
    assert.equal(columns.filter((name) => name.toLowerCase() === 'twin').length, 1);
    assert.deepEqual(
      columns.filter((name) => name.startsWith('__new_')),
      [],
    );
  });

  test('waits while the table is read, delays no reader, and gives up with 503 and without a column', async () => {
    const release = await kit.db.ownerHold(`lock table ${tableOf(schema.tableName)} in access share mode`);
    try {
      const run = <T>(work: Parameters<typeof kit.db.database.withTenant<T>>[2], options: object) =>
        kit.db.database.withTenant(tenantA, systemActor('test'), work, options);
      for (const body of [{ name: 'plain' }, { name: 'token', isUnique: true }]) {
        let reads = 0;
        let isOver = false;
        const reading = (async () => {
          // A reader that came behind the waiting change and had to wait for the other reader would never come back.
          while (!isOver) {
            assert.equal((await kit.rows(schema.id, '?limit=1')).status, 200);
            reads += 1;
          }
        })();
        const given = createField(changeOfTable(run, 1_500), schema.id, { dataType: 'text', ...body });
        await assert.rejects(given, { code: 'unavailable', status: 503 });
        isOver = true;
        await reading;
        assert.ok(reads > 1);
      }
      assert.equal(await version(), 1);
    } finally {
      await release();
    }
    assert.deepEqual((await columnNames()).length, 4);
    assert.equal((await add({ name: 'plain' })).status, 201);
  });

  test("left unfinished by a process is dropped by the next change; another's work in progress stays", async () => {
    const young = `__new_${newId().replaceAll('-', '')}`;
    const old = '__new_01900000000070008000000000000000';
    await owner(`alter table ${tableOf(schema.tableName)} add column ${old} text, add column ${young} text`);
    assert.deepEqual(
      Object.keys((await kit.rows(schema.id, '?limit=1')).json.rows[0]).length,
      3,
      'rows do not show them',
    );
    assert.equal((await kit.insert(schema.id, [{ member: 'new' }], 'update')).json.inserted, 1);
    assert.equal((await add({ name: 'next' })).status, 201);
    const columns = await columnNames();
    assert.deepEqual([columns.includes(old), columns.includes(young)], [false, true]);
    assert.equal(
      (await kit.call('POST', fieldsUrl, { schemaId: schema.id, name: young, dataType: 'text' })).status,
      400,
    );
  });
});

test('gets its index before it replaces a removed row key', async () => {
  assert.equal((await indexesOn('"customerId"')).length, 0);
  assert.equal((await kit.call('DELETE', `${fieldsUrl}?fieldId=${schema.fields[1]?.id}`)).status, 204);
  assert.equal((await kit.call('GET', `${url}/${schema.id}`)).json.rowKey, 'customerId');
  assert.equal((await indexesOn('"customerId"')).length, 1);
  assert.deepEqual((await kit.rows(schema.id, '?key=d7')).json.rows, [{ member: 'm7', customerId: 'd7' }]);
});

test('gets its index when it becomes the row key', async () => {
  await kit.call('DELETE', `${fieldsUrl}?fieldId=${schema.fields[1]?.id}`);
  const field = await add({ name: 'customer_id', dataType: 'varchar(64)' });
  assert.equal(field.status, 201, field.text);
  assert.equal((await kit.call('GET', `${url}/${schema.id}`)).json.rowKey, 'customer_id');
  assert.equal((await indexesOn('customer_id')).length, 1);
});

test("a schema whose rows are being read isn't deleted, and delays nobody", async (context) => {
  if (kit.db.isCluster) return context.skip('on a cluster, a table is dropped after its schema');
  const release = await kit.db.ownerHold(`lock table ${tableOf(schema.tableName)} in access share mode`);
  try {
    const refused = await kit.call('DELETE', `${url}/${schema.id}`);
    assert.deepEqual([refused.status, refused.json.code], [409, 'concurrent_modification']);
    assert.equal((await kit.rows(schema.id, '?limit=1')).json.total, many);
  } finally {
    await release();
  }
  assert.equal((await kit.call('DELETE', `${url}/${schema.id}`)).status, 204);
});
