import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { keys, tenantA } from '../../../http/test-app.ts';
import type { Call } from '../../../http/test-calls.ts';
import { newId } from '../../../platform/ids.ts';
import { reservedWords } from './fields/names.rules.ts';
import { snapshotSchemas } from './index.ts';
import { createTestSchemas, fieldsUrl, joinsUrl, type TestSchemas, url } from './test-schemas.ts';

let kit: TestSchemas;
let call: Call;
before(async () => {
  kit = await createTestSchemas();
  call = kit.call;
});
after(() => kit.db.close());

const codeOf = (answer: { status: number; json: { code: string } }) => [answer.status, answer.json.code];
const pathsOf = (answer: { json: { errors: { path: string }[] } }) => answer.json.errors.map((entry) => entry.path);

describe('a schema', () => {
  test('is of one of three entity types', async () => {
    for (const entityType of ['customer', 'account', 'custom'] as const) {
      assert.equal((await kit.create({ entityType })).entityType, entityType);
    }
    const other = await call('POST', '/api/v1/schemas', { name: 'other', displayName: 'O', entityType: 'planet' });
    assert.deepEqual([codeOf(other), pathsOf(other)], [[400, 'validation_failed'], ['/entityType']]);
  });

  test('is a record with a real table, protected like every other', async () => {
    const schema = await kit.create({
      name: 'Bank Customers',
      entityType: 'customer',
      autoEnrich: true,
      fields: [
        { name: 'customer_id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false },
        { name: 'age', dataType: 'integer' },
      ],
    });
    assert.deepEqual(
      [schema.name, schema.tableName, schema.schemaType, schema.status, schema.version, schema.rowKey],
      ['bank_customers', 'ds_bank_customers', 'customer', 'active', 1, 'customer_id'],
    );
    assert.deepEqual(
      [schema.linkedSchemaId, schema.joinMapping, schema.summaryColumns, schema.linkActive],
      [null, null, [], false],
    );
    assert.deepEqual(
      schema.fields.map((field: Record<string, unknown>) => [
        field.name,
        field.schemaId,
        field.ordinal,
        field.isUnique,
      ]),
      [
        ['customer_id', schema.id, 0, true],
        ['age', schema.id, 1, false],
      ],
    );
    const [table] = await kit.db.ownerQuery(
      `select c.relrowsecurity as enabled, c.relforcerowsecurity as forced, r.rolname as owner,
         (select array_agg(p.polname::text) from pg_policy p where p.polrelid = c.oid) as policies,
         has_table_privilege('arbiter_app', c.oid, 'truncate') as truncates
       from pg_class c join pg_roles r on r.oid = c.relowner where c.oid = $1::regclass`,
      [`t_${tenantA.replaceAll('-', '')}.ds_bank_customers`],
    );
    assert.deepEqual(table, {
      enabled: true,
      forced: true,
      owner: 'arbiter_owner',
      policies: ['tenant_isolation'],
      truncates: false,
    });
    const [audit] = await kit.db.ownerQuery<{ after: { fields: unknown[] } }>(
      `select after from arbiter.audit_logs where entity_id = $1 and entity_type = 'dataSchema' and action = 'create'`,
      [schema.id],
    );
    assert.equal(audit?.after.fields.length, 2);
  });

  test('gets a valid name, or none (E35)', async () => {
    for (const [name, stored] of [
      ['Straße', 'stra_e'],
      ['123', '123'],
      ['a_b', 'a_b'],
      ['x'.repeat(60), 'x'.repeat(60)],
    ] as const) {
      const made = await kit.create({ name });
      assert.equal(made.name, stored);
      assert.equal(made.tableName, `ds_${stored}`);
    }
    assert.deepEqual(codeOf(await call('POST', url, { name: 'a-b', displayName: 'S' })), [409, 'duplicate_name']);
    const other = await call('POST', url, { name: 'a-b', displayName: 'S' }, keys.otherTenant);
    assert.equal(other.status, 201);
    const before = await kit.tables();
    for (const name of ['___', '🙂🙂', 'x'.repeat(61), '']) {
      assert.equal((await call('POST', url, { name, displayName: 'S' })).status, 400, name);
    }
    assert.equal((await call('POST', url, { name: 'no_display' })).status, 400);
    assert.deepEqual(await kit.tables(), before);
  });

  test('with one bad field of twenty is rejected, and has no table', async () => {
    const before = await kit.tables();
    const [{ count } = { count: 0 }] = await kit.db.ownerQuery<{ count: number }>(
      'select count(*)::int as count from arbiter.schemas',
    );
    for (const bad of [
      { name: 'f'.repeat(64) },
      { name: 'select' },
      { name: 'ctid' },
      { name: 'F3' },
      { name: 'id' },
      { name: 'pg_x' },
      { name: 'a b' },
      { name: 'x', dataType: 'blob' },
      { name: 'x', dataType: 'integer', defaultValue: 'now()' },
    ]) {
      const fields = Array.from({ length: 20 }, (_, index) => (index === 11 ? bad : { name: `f${index}` }));
      const refused = await call('POST', url, { name: 'twenty', displayName: 'S', fields });
      assert.equal(refused.status, 400, JSON.stringify(bad));
      assert.ok(
        pathsOf(refused).every((path) => path.startsWith('/fields/11')),
        refused.text,
      );
    }
    assert.deepEqual(await kit.tables(), before);
    const [now] = await kit.db.ownerQuery<{ count: number }>('select count(*)::int as count from arbiter.schemas');
    assert.equal(now?.count, count);
  });

  test('keeps its table when it is changed, and loses it when it is deleted', async () => {
    const schema = await kit.create({ fields: [{ name: 'a' }] });
    await kit.insert(schema.id, [{ a: 'x' }]);
    const changed = await call('PUT', url, {
      id: schema.id,
      name: 'other',
      displayName: 'New',
      schemaType: 'event',
      summaryColumns: null,
      rowVersion: 1,
    });
    assert.deepEqual(
      [
        changed.json.name,
        changed.json.displayName,
        changed.json.schemaType,
        changed.json.summaryColumns,
        changed.json.version,
      ],
      [schema.name, 'New', 'event', null, 2],
    );
    assert.equal((await kit.rows(schema.id)).json.total, 1);
    assert.deepEqual(codeOf(await call('PUT', `${url}/${schema.id}`, { rowVersion: 1 })), [
      409,
      'row_version_conflict',
    ]);
    assert.equal((await call('PUT', url, { displayName: 'x' })).status, 400);
    const foreign = await call('GET', `${url}/${schema.id}`, undefined, keys.otherTenant);
    assert.equal(foreign.status, 404);
    assert.equal((await call('DELETE', `${url}?id=${schema.id}`, undefined, keys.otherTenant)).status, 404);
    assert.equal((await call('DELETE', `${url}?id=${schema.id}`)).status, 204);
    assert.equal((await call('DELETE', `${url}?id=${schema.id}`)).status, 404);
    assert.ok(!(await kit.tables()).some((name) => name.endsWith(schema.tableName)));
    const again = await kit.create({ name: schema.name });
    assert.equal((await kit.rows(again.id)).json.total, 0);
  });

  test('is in use while a flow or a linked schema refers to it', async () => {
    const parent = await kit.create({ fields: [{ name: 'customer_id', isPrimaryKey: true }] });
    const child = await kit.create({
      schemaType: 'event',
      linkedSchemaId: parent.id,
      fields: [{ name: 'customer_id' }],
    });
    assert.equal(child.linkActive, true);
    const refused = await call('DELETE', `${url}/${parent.id}`);
    assert.deepEqual([...codeOf(refused), ...pathsOf(refused)], [409, 'in_use', 'path.id']);
    assert.ok(refused.text.includes(child.id));
    await call('DELETE', `${url}/${child.id}`);
    kit.uses.set(parent.id, [{ noun: 'decision flow', name: 'Main', id: newId() }]);
    const used = await call('DELETE', `${url}?id=${parent.id}`);
    assert.deepEqual([...codeOf(used), ...pathsOf(used)], [409, 'in_use', 'query.id']);
    kit.uses.clear();
    assert.equal((await call('DELETE', `${url}?id=${parent.id}`)).status, 204);
  });

  test('links to customer schemas of its tenant, never in a circle', async () => {
    const a = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }] });
    const b = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }], linkedSchemaId: a.id });
    const c = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }], linkedSchemaId: b.id });
    const events = await kit.create({ schemaType: 'event' });
    const foreign = (await call('POST', url, { name: 'linked', displayName: 'S' }, keys.otherTenant)).json;
    for (const [id, linkedSchemaId, code] of [
      [a.id, a.id, 'validation_failed'],
      [a.id, c.id, 'validation_failed'],
      [b.id, events.id, 'validation_failed'],
      [b.id, foreign.id, 'reference_not_found'],
      [b.id, newId(), 'reference_not_found'],
    ]) {
      const refused = await call('PUT', url, { id, linkedSchemaId });
      assert.deepEqual([...codeOf(refused), ...pathsOf(refused)], [400, code, '/linkedSchemaId']);
    }
    assert.deepEqual(codeOf(await call('PUT', url, { id: a.id, schemaType: 'event' })), [409, 'in_use']);
    const mapped = await call('PUT', url, { id: c.id, joinMapping: { parentKey: 'gone', note: { kept: true } } });
    assert.deepEqual([mapped.json.linkActive, mapped.json.joinMapping.note], [false, { kept: true }]);
    assert.equal((await call('PUT', url, { id: c.id, joinMapping: { joinType: 'cross' } })).status, 400);
    const unlinked = await call('PUT', url, { id: c.id, linkedSchemaId: null });
    assert.deepEqual([unlinked.json.linkedSchemaId, unlinked.json.joinMapping], [null, null]);
    const answers = await Promise.all([
      call('PUT', url, { id: a.id, linkedSchemaId: c.id }),
      call('PUT', url, { id: c.id, linkedSchemaId: b.id }),
    ]);
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400]);
  });

  test('describes what decisions read of a linked schema with the link, for columns that may not exist yet', async () => {
    const parent = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }] });
    const child = await kit.create({
      schemaType: 'event',
      linkedSchemaId: parent.id,
      summaryColumns: ['amount', 'not_there_yet'],
      autoEnrich: true,
      fields: [{ name: 'k' }, { name: 'amount', dataType: 'integer' }],
    });
    assert.deepEqual(
      [child.linkActive, child.autoEnrich, child.summaryColumns],
      [true, true, ['amount', 'not_there_yet']],
    );
    const changed = await call('PUT', url, { id: child.id, summaryColumns: [], autoEnrich: false });
    assert.deepEqual([changed.json.summaryColumns, changed.json.autoEnrich], [[], false], changed.text);
    for (const summaryColumns of [Array(51).fill('a'), [1]]) {
      assert.equal((await call('PUT', url, { id: child.id, summaryColumns })).status, 400);
    }
    const most = Array.from({ length: 50 }, (_, at) => `c${at}`);
    assert.equal((await call('PUT', url, { id: child.id, summaryColumns: most })).status, 200);
  });

  test('lists newest first, with fields, by type', async () => {
    const schema = await kit.create({ schemaType: 'product', fields: [{ name: 'sku' }] });
    const listed = await call('GET', `${url}?schemaType=product`);
    assert.deepEqual(
      listed.json.data.map((row: { id: string; fields: unknown[] }) => [row.id, row.fields.length]),
      [[schema.id, 1]],
    );
    const first = await call('GET', `${url}?limit=1`);
    assert.equal(first.json.pagination.limit, 1);
    const second = await call('GET', `${url}?limit=1&cursor=${first.json.pagination.nextCursor}`);
    assert.ok(second.json.data[0].id < first.json.data[0].id);
    assert.equal((await call('GET', url)).json.pagination.limit, 20);
  });

  test('gives the compiler its columns in order, the row key, and what must not be stored', async () => {
    const schema = await kit.create({
      name: 'snap',
      autoEnrich: true,
      fields: [{ name: 'Note', dataType: 'text', neverStore: true }, { name: 'customerId' }],
    });
    const schemas = await kit.db.database.withTenant(tenantA, systemActor('test'), snapshotSchemas);
    assert.deepEqual(
      schemas.find((row) => row.id === schema.id),
      {
        id: schema.id,
        name: 'snap',
        schemaType: 'customer',
        autoEnrich: true,
        rowKey: 'customerId',
        primaryKey: 'id',
        columns: [
          { name: 'Note', dataType: 'text', neverStore: true },
          { name: 'customerId', dataType: 'varchar', neverStore: false },
        ],
      },
    );
    const child = await kit.create({
      name: 'snap_child',
      fields: [{ name: 'customerId', isPrimaryKey: true }],
      linkedSchemaId: schema.id,
    });
    const linked = await kit.db.database.withTenant(tenantA, systemActor('test'), snapshotSchemas);
    assert.equal(linked.find((row) => row.id === child.id)?.linked, true);
  });
});

describe('a field', () => {
  test('is added with its column, redescribed, moved and dropped', async () => {
    const schema = await kit.create({ fields: [{ name: 'a' }, { name: 'b' }] });
    await kit.insert(schema.id, [{ a: '1', b: '2' }]);
    const added = await call('POST', fieldsUrl, {
      schemaId: schema.id,
      name: 'amount',
      dataType: 'numeric(10,2)',
      isNullable: false,
      defaultValue: '1.50',
    });
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(
      [added.json.ordinal, added.json.precision, added.json.scale, added.json.displayName],
      [2, 10, 2, 'amount'],
    );
    assert.deepEqual((await kit.rows(schema.id)).json.rows, [{ id: 1, a: '1', b: '2', amount: 1.5 }]);
    const moved = await call('PUT', fieldsUrl, {
      fieldId: added.json.id,
      ordinal: 0,
      neverStore: true,
      isSensitive: true,
      isPredictor: true,
    });
    assert.deepEqual(
      [moved.json.ordinal, moved.json.neverStore, moved.json.isSensitive, moved.json.isPredictor, moved.json.name],
      [0, true, true, true, 'amount'],
    );
    const listed = await call('GET', `${fieldsUrl}?schemaId=${schema.id}`);
    assert.deepEqual(
      listed.json.map((field: { name: string; ordinal: number }) => [field.name, field.ordinal]),
      [
        ['amount', 0],
        ['a', 1],
        ['b', 2],
      ],
    );
    assert.equal((await call('DELETE', `${fieldsUrl}?fieldId=${schema.fields[0].id}`)).status, 204);
    assert.deepEqual((await kit.rows(schema.id)).json.rows, [{ id: 1, amount: 1.5, b: '2' }]);
    const after = await call('GET', `${url}/${schema.id}`);
    assert.equal(after.json.version, 4);
    assert.deepEqual(
      after.json.fields.map((field: { ordinal: number }) => field.ordinal),
      [0, 1],
    );
    assert.equal((await call('DELETE', `${fieldsUrl}?fieldId=${schema.fields[0].id}`)).status, 404);
  });

  test('is rejected where the contract says so', async () => {
    const schema = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }, { name: 'a' }] });
    await kit.insert(schema.id, [{ k: '1' }, { k: '2' }]);
    const add = (body: Record<string, unknown>) =>
      call('POST', fieldsUrl, { schemaId: schema.id, dataType: 'varchar', ...body });
    assert.deepEqual(codeOf(await add({ name: 'A' })), [409, 'duplicate_name']);
    for (const [body, path] of [
      [{ name: 'p', isPrimaryKey: true }, '/isPrimaryKey'],
      [{ name: 'n', isNullable: false }, '/defaultValue'],
      [{ name: 'u', isUnique: true, defaultValue: 'same' }, '/isUnique'],
      [{ name: 'where' }, '/name'],
      [{ name: 'x', dataType: 'nope' }, '/dataType'],
    ] as const) {
      const refused = await add(body);
      assert.deepEqual(
        [...codeOf(refused), ...pathsOf(refused)],
        [400, 'validation_failed', path],
        JSON.stringify(body),
      );
    }
    assert.equal((await call('POST', fieldsUrl, { schemaId: schema.id, name: 'x' })).status, 400);
    assert.deepEqual(codeOf(await call('DELETE', `${fieldsUrl}?fieldId=${schema.fields[0].id}`)), [409, 'protected']);
    assert.equal((await call('GET', fieldsUrl)).status, 400);
    for (const id of [newId(), 'no-id']) {
      assert.equal((await call('GET', `${fieldsUrl}?schemaId=${id}`)).status, 404);
      assert.equal((await call('DELETE', `${fieldsUrl}?fieldId=${id}`)).status, 404);
    }
    const foreign = await call(
      'POST',
      fieldsUrl,
      { schemaId: schema.id, name: 'x', dataType: 'text' },
      keys.otherTenant,
    );
    assert.equal(foreign.status, 404);
    assert.equal(
      (await call('PUT', fieldsUrl, { fieldId: schema.fields[1].id, description: 'x' }, keys.otherTenant)).status,
      404,
    );
    const unchanged = await call('GET', `${url}/${schema.id}`);
    assert.deepEqual([unchanged.json.version, unchanged.json.fields.length], [1, 2]);
  });

  test('keeps its column: rejects a change of each property, and accepts the same value', async () => {
    const schema = await kit.create({ fields: [{ name: 'a', dataType: 'varchar(20)', defaultValue: 'x' }] });
    const [field] = schema.fields;
    const change = (body: Record<string, unknown>) => call('PUT', fieldsUrl, { fieldId: field.id, ...body });
    for (const [property, value] of Object.entries({
      name: 'b',
      dataType: 'text',
      length: 21,
      precision: 5,
      scale: 0,
      isNullable: false,
      isPrimaryKey: true,
      isUnique: true,
      defaultValue: 'y',
    })) {
      const refused = await change({ [property]: value, displayName: 'New' });
      assert.deepEqual([...codeOf(refused), ...pathsOf(refused)], [400, 'validation_failed', `/${property}`]);
    }
    for (const dataType of ['varchar(21)', 'varchar(20', 'nope']) {
      assert.deepEqual(pathsOf(await change({ dataType })), ['/dataType']);
    }
    assert.equal((await call('GET', `${url}/${schema.id}`)).json.version, 1);
    for (const dataType of ['varchar', 'String', 'character varying(20)']) {
      assert.equal((await change({ ...field, dataType })).status, 200, dataType);
    }
    assert.equal((await change({ fieldId: newId(), displayName: 'x' })).status, 404);
  });

  test('is in use while a join or a higher feature refers to it', async () => {
    const parent = await kit.create({ fields: [{ name: 'customer_id', isPrimaryKey: true }, { name: 'home' }] });
    const child = await kit.create({ schemaType: 'event', fields: [{ name: 'client' }, { name: 'note' }] });
    const join = await call('POST', joinsUrl, {
      name: 'in use',
      primarySchemaId: parent.id,
      primaryKey: 'home',
      foreignSchemaId: child.id,
      foreignKey: 'client',
      autoEnrich: false,
    });
    assert.equal(join.status, 201, join.text);
    for (const field of [parent.fields[1], child.fields[0]]) {
      const refused = await call('DELETE', `${fieldsUrl}?fieldId=${field.id}`);
      assert.deepEqual([...codeOf(refused), ...pathsOf(refused)], [409, 'in_use', 'query.fieldId']);
      assert.ok(refused.text.includes(join.json.id));
    }
    for (const { id } of [parent, child]) {
      assert.deepEqual(codeOf(await call('DELETE', `${url}/${id}`)), [409, 'in_use']);
    }
    kit.uses.set(`${child.id} note`, [{ noun: 'segment', name: 'Gold', id: newId() }]);
    assert.deepEqual(codeOf(await call('DELETE', `${fieldsUrl}?fieldId=${child.fields[1].id}`)), [409, 'in_use']);
    kit.uses.clear();
    assert.equal((await call('DELETE', `${joinsUrl}/${join.json.id}`)).status, 204);
    for (const field of [parent.fields[1], child.fields[0], child.fields[1]]) {
      assert.equal((await call('DELETE', `${fieldsUrl}?fieldId=${field.id}`)).status, 204);
    }
    assert.equal((await call('DELETE', `${url}/${child.id}`)).status, 204);
  });

  test("named customer_id becomes the row key when it's added, with an index", async () => {
    const schema = await kit.create({ fields: [{ name: 'a' }] });
    await call('POST', fieldsUrl, { schemaId: schema.id, name: 'customer_id', dataType: 'varchar' });
    assert.equal((await call('GET', `${url}/${schema.id}`)).json.rowKey, 'customer_id');
    const indexes = await kit.db.ownerQuery<{ indexdef: string }>(
      'select indexdef from pg_indexes where tablename = $1',
      [schema.tableName],
    );
    assert.ok(indexes.some((row) => row.indexdef.includes('(tenant_id, customer_id)')));
  });
});

test('the reserved words match those of the server', async () => {
  const words = await kit.db.ownerQuery<{ word: string }>(
    `select word from pg_get_keywords() where catcode in ('R', 'T')`,
  );
  assert.deepEqual(
    words.map((row) => row.word).filter((word) => !reservedWords.has(word)),
    [],
  );
  assert.ok(words.length > 90);
});
