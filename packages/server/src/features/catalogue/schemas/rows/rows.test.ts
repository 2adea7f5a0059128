import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemActor } from '../../../../db/index.ts';
import { keys, tenantA, tenantB } from '../../../../http/test-app.ts';
import { newId } from '../../../../platform/ids.ts';
import { readRowsByKey, readSchemaTables, rowsByKeyStatement } from '../index.ts';
import { createTestSchemas, fieldsUrl, type TestSchemas, url } from '../test-schemas.ts';

let kit: TestSchemas;
before(async () => {
  kit = await createTestSchemas();
});
after(() => kit.db.close());

const pathsOf = (answer: { json: { errors: { path: string }[] } }) => answer.json.errors.map((entry) => entry.path);
const keyed = [{ name: 'customer_id', isPrimaryKey: true }, { name: 'age', dataType: 'integer' }, { name: 'note' }];

describe('values', () => {
  const allTypes = [
    ['varchar(10)', 'äöü 😀', 'äöü 😀'],
    ['char(5)', 'ab', 'ab'],
    ['text', '', ''],
    ['smallint', -5, -5],
    ['integer', '007', 7],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['bigint', 12, 12],
    ['numeric(10,2)', '12.50', 12.5],
    ['decimal', '12345678901234567890.5', '12345678901234567890.5'],
    ['real', 0.1, 0.1],
    ['double', 0.1, 0.1],
    ['boolean', true, true],
    ['date', '0001-12-31', '0001-12-31'],
    ['time', '09:30', '09:30:00'],
    ['timestamp', '2026-03-29T02:30:00.500', '2026-03-29T02:30:00.500'],
    ['timestamp', '2026-03-29T02:30:00', '2026-03-29T02:30:00'],
    ['timestamptz', '2026-11-20T09:30:00.250+02:00', '2026-11-20T07:30:00.250Z'],
    ['uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    ['jsonb', { a: [1, null, 'x'], 'b"': {} }, { a: [1, null, 'x'], 'b"': {} }],
    ['jsonb', 'text', 'text'],
    ['jsonb', [1], [1]],
    ['jsonb', false, false],
  ] as const;

  test('of every type are stored and read as table 2.1 says, including null', async () => {
    const fields = allTypes.map(([dataType], index) => ({ name: `c${index}`, dataType }));
    const schema = await kit.create({ schemaType: 'event', fields });
    const row = Object.fromEntries(allTypes.map(([, value], index) => [`c${index}`, value]));
    const inserted = await kit.insert(schema.id, [row, {}]);
    assert.deepEqual(inserted.json, { inserted: 2, updated: 0, skipped: 0, tableName: schema.tableName });
    const { rows } = (await kit.rows(schema.id)).json;
    assert.deepEqual(rows[0], {
      id: 1,
      ...Object.fromEntries(allTypes.map(([, , value], index) => [`c${index}`, value])),
    });
    assert.ok(Object.entries(rows[1]).every(([name, value]) => (name === 'id' ? value === 2 : value === null)));
  });

  test('are filled from defaults when omitted', async () => {
    const schema = await kit.create({
      schemaType: 'event',
      fields: [
        { name: 'a', defaultValue: "it's" },
        { name: 'n', dataType: 'integer', defaultValue: 7, isNullable: false },
        { name: 'at', dataType: 'timestamptz', defaultValue: 'now()' },
        { name: 'day', dataType: 'date', defaultValue: 'now()' },
        { name: 'clock', dataType: 'time', defaultValue: 'now()' },
        { name: 'local', dataType: 'timestamp', defaultValue: 'now()' },
        { name: 'u', dataType: 'uuid', defaultValue: 'gen_random_uuid()' },
        { name: 'j', dataType: 'jsonb', defaultValue: '{"x":1}' },
        { name: 'b', dataType: 'boolean', defaultValue: 'true' },
      ],
    });
    assert.equal((await kit.insert(schema.id, [{}, { a: null, n: null }])).status, 201);
    // The table itself has the same defaults, for other writers.
    await kit.db.ownerQuery(
      `insert into ${`t_${tenantA.replaceAll('-', '')}`}.${schema.tableName} (tenant_id) values ($1)`,
      [tenantA],
    );
    const { rows } = (await kit.rows(schema.id)).json;
    const today = new Date().toISOString();
    for (const row of [rows[0], rows[2]]) {
      assert.deepEqual([row.a, row.n, row.j, row.b], ["it's", 7, { x: 1 }, true]);
      assert.ok(row.at.startsWith(today.slice(0, 10)) && row.local.startsWith(today.slice(0, 10)));
      assert.equal(row.day, today.slice(0, 10));
      assert.match(row.clock, /^\d\d:\d\d:\d\d$/);
      assert.match(row.u, /^[0-9a-f-]{36}$/);
    }
    assert.deepEqual([rows[1].a, rows[1].n], [null, 7]);
    assert.notEqual(rows[0].u, rows[1].u);
  });

  test("that don't match their type are 400 with their path, and no row is written (E36)", async () => {
    const schema = await kit.create({ fields: keyed });
    const refused = await kit.insert(schema.id, [
      { customer_id: 'a', age: 1 },
      { customer_id: 'b', age: 2 ** 53 },
      { customer_id: 'c', no_such_column: 1 },
      { age: 1 },
      { customer_id: ' d' },
      { customer_id: 'e', tenant_id: newId() },
    ]);
    assert.equal(refused.status, 400);
    assert.deepEqual(pathsOf(refused), [
      '/rows/1/age',
      '/rows/2/no_such_column',
      '/rows/3/customer_id',
      '/rows/4/customer_id',
      '/rows/5/tenant_id',
    ]);
    assert.equal((await kit.rows(schema.id)).json.total, 0);
    for (const rows of [[], 'x', [1], [[]], [null]]) {
      const answer = await kit.insert(schema.id, rows as unknown[]);
      assert.equal(answer.status, 400, JSON.stringify(rows));
    }
    const counting = await kit.create({ fields: [{ name: 'a' }] });
    assert.deepEqual(pathsOf(await kit.insert(counting.id, [{ id: 5, a: 'x' }])), ['/rows/0/id']);
    assert.equal(
      (
        await kit.insert(
          schema.id,
          Array.from({ length: 10_001 }, (_, i) => ({ customer_id: `${i}` })),
        )
      ).status,
      400,
    );
  });
});

describe('duplicates', () => {
  test('are skipped: the first of equal rows is stored, and the count is right', async () => {
    const schema = await kit.create({ fields: [...keyed, { name: 'mail', isUnique: true }] });
    const rows = [
      { customer_id: 'a', age: 1, mail: 'x' },
      { customer_id: 'a', age: 2 },
      { customer_id: 'b', mail: 'x' },
      { customer_id: 'c' },
      { customer_id: 'd' },
    ];
    assert.deepEqual((await kit.insert(schema.id, rows)).json.inserted, 3);
    const again = await kit.insert(schema.id, [...rows, { customer_id: 'e' }]);
    assert.partialDeepStrictEqual(again.json, { inserted: 1, updated: 0, skipped: 5, tableName: schema.tableName });
    assert.deepEqual(
      (await kit.rows(schema.id)).json.rows.map((row: { customer_id: string; age: number }) => [
        row.customer_id,
        row.age,
      ]),
      [
        ['a', 1],
        ['c', null],
        ['d', null],
        ['e', null],
      ],
    );
  });

  test('are updated: given columns only, and the last of equal rows wins', async () => {
    const schema = await kit.create({ fields: keyed });
    await kit.insert(schema.id, [{ customer_id: 'a', age: 1, note: 'keep' }]);
    const answer = await kit.insert(
      schema.id,
      [
        { customer_id: 'a', age: 2 },
        { customer_id: 'a', age: 3 },
        { customer_id: 'b', note: 'new' },
      ],
      'update',
    );
    assert.partialDeepStrictEqual(answer.json, { inserted: 1, updated: 1, skipped: 1, tableName: schema.tableName });
    assert.deepEqual((await kit.rows(schema.id)).json.rows, [
      { customer_id: 'a', age: 3, note: 'keep' },
      { customer_id: 'b', age: null, note: 'new' },
    ]);
    const open = await kit.create({ fields: [{ name: 'a' }] });
    assert.equal((await kit.insert(open.id, [{ a: '1' }], 'update')).status, 400);
    assert.equal((await kit.insert(schema.id, [{ customer_id: 'a' }], 'replace')).status, 400);
  });

  test('in another unique field are a conflict for an update', async () => {
    const schema = await kit.create({ fields: [...keyed, { name: 'mail', isUnique: true }] });
    await kit.insert(schema.id, [{ customer_id: 'a', mail: 'x' }]);
    const refused = await kit.insert(schema.id, [{ customer_id: 'b', mail: 'x' }], 'update');
    assert.deepEqual([refused.status, refused.json.code], [409, 'duplicate_key']);
    assert.equal((await kit.rows(schema.id)).json.total, 1);
  });

  test('in many parallel requests are inserted once', async () => {
    const schema = await kit.create({ fields: keyed });
    const rows = Array.from({ length: 200 }, (_, index) => ({ customer_id: `c${index}` }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => kit.insert(schema.id, rows)));
    assert.ok(
      answers.every((answer) => answer.status === 201),
      answers.map((a) => a.text).join(),
    );
    assert.equal(
      answers.reduce((sum, answer) => sum + answer.json.inserted, 0),
      200,
    );
  });
});

describe('reading', () => {
  test('pages by primary key, or one row by its row key', async () => {
    const schema = await kit.create({ fields: [{ name: 'customerId', dataType: 'integer' }, { name: 'v' }] });
    await kit.insert(schema.id, [
      { customerId: 7, v: 'old' },
      { customerId: 8, v: 'x' },
      { customerId: 7, v: 'new' },
    ]);
    const page = await kit.rows(schema.id, '?limit=2&offset=1');
    assert.deepEqual(page.json, {
      total: 3,
      limit: 2,
      offset: 1,
      rows: [
        { id: 2, customerId: 8, v: 'x' },
        { id: 3, customerId: 7, v: 'new' },
      ],
    });
    assert.deepEqual((await kit.rows(schema.id, '?key=7')).json, {
      total: 1,
      limit: 50,
      offset: 0,
      rows: [{ id: 3, customerId: 7, v: 'new' }],
    });
    for (const key of ['007', '9', 'x', "7' or '1'='1"]) {
      assert.equal((await kit.rows(schema.id, `?key=${encodeURIComponent(key)}`)).json.total, 0, key);
    }
    assert.equal((await kit.rows(schema.id, '?limit=9999')).json.limit, 500);
    assert.deepEqual((await kit.rows(schema.id, '?offset=99')).json, { total: 3, limit: 50, offset: 99, rows: [] });
    for (const query of ['?limit=0', '?limit=x', '?offset=-1']) {
      assert.equal((await kit.rows(schema.id, query)).status, 400, query);
    }
    for (const id of [newId(), 'no-id']) assert.equal((await kit.rows(id)).status, 404);
    assert.equal((await kit.call('GET', `${url}/${schema.id}/data`, undefined, keys.otherTenant)).status, 404);
    assert.equal((await kit.call('GET', `${url}/${schema.id}/data`, undefined, keys.viewer)).status, 200);
  });

  test("finds no rows in a table that doesn't exist", async () => {
    const schema = await kit.create();
    await kit.db.ownerQuery(`drop table t_${tenantA.replaceAll('-', '')}.${schema.tableName}`);
    assert.deepEqual((await kit.rows(schema.id)).json, { total: 0, limit: 50, offset: 0, rows: [] });
  });

  test('by key takes one statement, in output form, whatever the type of the key', async () => {
    const types: [string, unknown, string, string[]][] = [
      ['varchar', '007', '007', ['7']],
      ['char(6)', 'ab', 'ab', ['ab ']],
      ['integer', 42, '42', ['042', '42.0', '']],
      ['bigint', '9007199254740993', '9007199254740993', ['9007199254740992']],
      ['numeric(10,2)', '1.50', '1.5', ['1.50']],
      ['date', '2026-11-20', '2026-11-20', ['2026-11-20T00:00:00Z']],
      ['timestamptz', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z', ['2026-11-20T09:00:00Z']],
      [
        'uuid',
        'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
        ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
      ],
    ];
    for (const [dataType, value, key, others] of types) {
      const schema = await kit.create({
        fields: [
          { name: 'customer_id', dataType, isPrimaryKey: true },
          { name: 'Big', dataType: 'numeric' },
        ],
      });
      assert.equal((await kit.insert(schema.id, [{ customer_id: value, Big: '0.10' }])).status, 201);
      const found = await kit.db.database.withTenant(tenantA, systemActor('test'), async (tx) => {
        const table = (await readSchemaTables(tx)).find((candidate) => candidate.schemaId === schema.id);
        assert.ok(table);
        return readRowsByKey(tx, table, ['Big'], [key, ...others, 'nobody']);
      });
      assert.deepEqual([...found], [[key, { Big: 0.1 }]], dataType);
    }
  });

  test("never shows another tenant's rows", async () => {
    const schema = await kit.create({ fields: keyed });
    await kit.insert(schema.id, [{ customer_id: 'a' }]);
    const [table] = await kit.db.database.withTenant(tenantA, systemActor('test'), async (tx) =>
      (await readSchemaTables(tx)).filter((candidate) => candidate.schemaId === schema.id),
    );
    assert.ok(table);
    const statement = rowsByKeyStatement(table, table.rowKey, ['age']);
    assert.match(statement.name, /^rows_[0-9a-f]{32}$/);
    const rows = await kit.db.database.withTenant(newId(), systemActor('test'), (tx) =>
      tx.query(statement.text, [statement.keys(['a'])]),
    );
    assert.deepEqual(rows, []);
    assert.throws(() => rowsByKeyStatement(table, 'nope', []));
  });
});

describe('at the same time', () => {
  test('schema deletion and inserts: whole and then gone, or 404 (E35)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const schema = await kit.create({ fields: keyed });
      const rows = Array.from({ length: 500 }, (_, index) => ({ customer_id: `c${index}` }));
      const answers = await Promise.all([
        kit.insert(schema.id, rows),
        kit.call('DELETE', `${url}/${schema.id}`),
        kit.insert(schema.id, rows),
        kit.rows(schema.id),
      ]);
      assert.equal(answers[1]?.status, 204, answers[1]?.text);
      for (const answer of [answers[0], answers[2]]) assert.ok([201, 404].includes(answer?.status ?? 0), answer?.text);
      assert.ok([200, 404].includes(answers[3]?.status ?? 0), answers[3]?.text);
      assert.ok(!(await kit.tables()).some((name) => name.endsWith(`.${schema.tableName}`)));
    }
  });

  test('a column that comes or goes never breaks an insert midway', async () => {
    const schema = await kit.create({ fields: keyed });
    const note = schema.fields[2].id;
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => kit.insert(schema.id, [{ customer_id: `c${index}`, note: 'x' }])),
      kit.call('DELETE', `${fieldsUrl}?fieldId=${note}`),
      kit.call('POST', fieldsUrl, { schemaId: schema.id, name: 'more', dataType: 'text' }),
    ]);
    assert.deepEqual(
      answers.slice(6).map((answer) => answer.status),
      [204, 201],
    );
    const inserts = answers.slice(0, 6);
    assert.ok(
      inserts.every((answer) => answer.status === 201 || answer.status === 400),
      inserts.map((a) => a.text).join(),
    );
    assert.equal((await kit.rows(schema.id)).json.total, inserts.filter((answer) => answer.status === 201).length);
  });

  test('several first schemas of a tenant can be created', async () => {
    const own = `t_${tenantB.replaceAll('-', '')}`;
    for (let round = 0; round < 5; round += 1) {
      await kit.db.ownerQuery(`drop schema if exists ${own} cascade`);
      const answers = await Promise.all(
        ['w', 'x', 'y', 'z'].map((name) =>
          kit.call('POST', url, { name: `${name}${round}`, displayName: 'S' }, keys.otherTenant),
        ),
      );
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [201, 201, 201, 201],
      );
    }
  });
});

test('five thousand rows of eighteen columns take well under a second', async () => {
  const names = Array.from({ length: 17 }, (_, index) => ({
    name: `c${index}`,
    dataType: index % 2 ? 'integer' : 'varchar',
  }));
  const schema = await kit.create({ fields: [{ name: 'customer_id', isPrimaryKey: true }, ...names] });
  const rowsOf = (tries: number) =>
    Array.from({ length: 5000 }, (_, row) => ({
      customer_id: `BANK-${tries}-${row}`,
      ...Object.fromEntries(names.map(({ name }, index) => [name, index % 2 ? row : `value ${row}`])),
    }));
  // A busy machine is given more chances, an insert that is slow on its own is not.
  const tookMs: number[] = [];
  for (let tries = 1; tries <= 3 && !(Math.min(...tookMs) < 3_000); tries += 1) {
    const rows = rowsOf(tries);
    const started = performance.now();
    assert.equal((await kit.insert(schema.id, rows)).json.inserted, 5000);
    tookMs.push(performance.now() - started);
  }
  assert.ok(Math.min(...tookMs) < 3_000, `${tookMs} ms`);
});
