import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { keys, tenantA } from '../../../../http/test-app.ts';
import { newId } from '../../../../platform/ids.ts';
import { createTestSchemas, fieldsUrl, type TestSchemas, url } from '../test-schemas.ts';
import { isSchemaTable, maxCounted, sampleEvery } from './stats.rules.ts';

let kit: TestSchemas;
before(async () => {
  kit = await createTestSchemas();
});
after(() => kit.db.close());

const stats = (id: string, key?: string) => kit.call('GET', `${url}/${id}/stats`, undefined, key ?? keys.viewer);
const tableOf = (name: string) => `t_${tenantA.replaceAll('-', '')}.${name}`;

describe('figures', () => {
  test('cover the rows, by field in its order, in the form of rows', async () => {
    const schema = await kit.create({
      schemaType: 'event',
      fields: [
        { name: 'whole', dataType: 'integer' },
        { name: 'large', dataType: 'bigint' },
        { name: 'exact', dataType: 'numeric(12,2)' },
        { name: 'rough', dataType: 'double' },
        { name: 'word', dataType: 'varchar' },
        { name: 'day', dataType: 'date' },
        { name: 'at', dataType: 'timestamptz' },
        { name: 'yes', dataType: 'boolean' },
        { name: 'other', dataType: 'jsonb' },
      ],
    });
    const empty = await stats(schema.id);
    assert.deepEqual([empty.status, empty.json.totalRows, empty.json.sampled], [200, 0, false], empty.text);
    assert.deepEqual(empty.json.fields[0], {
      name: 'whole',
      type: 'numeric',
      distinctCount: 0,
      nullCount: 0,
      min: null,
      max: null,
      avg: null,
    });
    const words = ['b', 'b', 'a', 'a', 'c', 'd', 'e', 'f', null];
    await kit.insert(
      schema.id,
      words.map((word, at) => ({
        word,
        whole: at === 8 ? null : at + 1,
        large: at === 0 ? '9007199254740993' : null,
        exact: at < 2 ? '1.50' : null,
        rough: at === 0 ? 0.5 : -0.5,
        day: '2026-11-20',
        at: '2026-11-20T09:30:00+02:00',
        yes: at % 3 === 0,
        other: { at },
      })),
    );
    const { json } = await stats(schema.id);
    assert.equal(json.totalRows, 9);
    const byName = Object.fromEntries(json.fields.map((field: { name: string }) => [field.name, field]));
    assert.deepEqual(Object.keys(byName), ['whole', 'large', 'exact', 'rough', 'word', 'day', 'at', 'yes', 'other']);
    const numeric = (name: string) => {
      const { type, min, max, avg, distinctCount, nullCount } = byName[name];
      return [type, min, max, avg, distinctCount, nullCount];
    };
    assert.deepEqual(numeric('whole'), ['numeric', 1, 8, 4.5, 8, 1]);
    assert.deepEqual(numeric('large'), ['numeric', '9007199254740993', '9007199254740993', 9007199254740992, 1, 8]);
    assert.deepEqual(numeric('exact'), ['numeric', 1.5, 1.5, 1.5, 1, 7]);
    assert.deepEqual(numeric('rough').slice(0, 3), ['numeric', -0.5, 0.5]);
    assert.deepEqual(byName.word, {
      name: 'word',
      type: 'text',
      distinctCount: 6,
      nullCount: 1,
      topValues: [
        { value: 'a', count: 2 },
        { value: 'b', count: 2 },
        { value: 'c', count: 1 },
        { value: 'd', count: 1 },
        { value: 'e', count: 1 },
      ],
    });
    assert.deepEqual(byName.day.topValues, [{ value: '2026-11-20', count: 9 }]);
    assert.deepEqual(byName.at.topValues, [{ value: '2026-11-20T07:30:00.000Z', count: 9 }]);
    assert.deepEqual(byName.yes.topValues, [
      { value: false, count: 6 },
      { value: true, count: 3 },
    ]);
    assert.deepEqual([byName.other.type, byName.other.distinctCount, byName.other.topValues], ['text', 9, []]);
  });

  test('sample one row in many above a million rows, and say so', async () => {
    assert.deepEqual([maxCounted, maxCounted + 1, 10_000_000].map(sampleEvery), [1, 10, 100]);
    const schema = await kit.create({
      fields: [{ name: 'n', dataType: 'integer', isPrimaryKey: true }, { name: 'even' }],
    });
    await kit.db.ownerQuery(
      `insert into ${tableOf(schema.tableName)} (tenant_id, n, even)
       select $1::uuid, n, (n % 2 = 0)::text from generate_series(1, ${maxCounted + 1}) n`,
      [tenantA],
    );
    const { json, text } = await stats(schema.id);
    assert.deepEqual([json.totalRows, json.sampled], [maxCounted + 1, true], text);
    const [n, even] = json.fields;
    assert.ok(n.distinctCount > 95_000 && n.distinctCount < 105_000, String(n.distinctCount));
    const [first, second] = even.topValues.map((top: { count: number }) => top.count);
    assert.equal(first + second, n.distinctCount, 'all columns speak of the same rows');
  });
});

describe('the cache', () => {
  test('returns the same until rows or columns change, or for five minutes after a change outside the API', async () => {
    const schema = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }, { name: 'v' }] });
    const first = await stats(schema.id);
    await kit.db.ownerQuery(`insert into ${tableOf(schema.tableName)} (tenant_id, k) values ($1, 'beside')`, [tenantA]);
    assert.deepEqual((await stats(schema.id)).json, first.json);

    await kit.insert(schema.id, [{ k: 'a' }]);
    const second = await stats(schema.id);
    assert.equal(second.json.totalRows, 2);
    assert.deepEqual((await stats(schema.id)).json, second.json);
    await kit.insert(schema.id, [{ k: 'a', v: 'x' }], 'update');
    assert.equal((await stats(schema.id)).json.fields[1].nullCount, 1);

    const added = await kit.call('POST', fieldsUrl, { schemaId: schema.id, name: 'w', dataType: 'text' });
    assert.equal((await stats(schema.id)).json.fields.length, 3);
    await kit.call('DELETE', `${fieldsUrl}?fieldId=${added.json.id}`);
    assert.equal((await stats(schema.id)).json.fields.length, 2);

    await kit.db.ownerQuery(
      `update arbiter.schema_stats set stats = jsonb_set(stats, '{totalRows}', '77') where schema_id = $1`,
      [schema.id],
    );
    assert.equal((await stats(schema.id)).json.totalRows, 77);
    await kit.db.ownerQuery(
      `update arbiter.schema_stats set counted_at = counted_at - interval '301 seconds' where schema_id = $1`,
      [schema.id],
    );
    assert.equal((await stats(schema.id)).json.totalRows, 2);
  });

  test('belongs to a schema, not to its name (E37), and is deleted with it', async () => {
    const schema = await kit.create({ name: 'again', fields: [{ name: 'v' }] });
    await kit.insert(schema.id, [{ v: 'secret' }]);
    assert.ok((await stats(schema.id)).text.includes('secret'));
    assert.equal((await kit.call('DELETE', `${url}/${schema.id}`)).status, 204);
    assert.equal((await stats(schema.id)).status, 404);
    const again = await kit.create({ name: 'again', fields: [{ name: 'v' }] });
    assert.equal((await stats(again.id)).json.totalRows, 0);
  });

  test('stores nothing that was counted while rows were written', async () => {
    const schema = await kit.create({ fields: [{ name: 'k', isPrimaryKey: true }] });
    for (let round = 0; round < 10; round += 1) {
      const [, inserted] = await Promise.all([stats(schema.id), kit.insert(schema.id, [{ k: `k${round}` }])]);
      assert.equal(inserted.status, 201);
      assert.equal((await stats(schema.id)).json.totalRows, round + 1);
    }
  });

  test('belongs to one tenant; an unknown schema is 404', async () => {
    const schema = await kit.create();
    for (const [id, key] of [
      [schema.id, keys.otherTenant],
      [newId(), keys.viewer],
      ['no-id', keys.viewer],
    ]) {
      assert.equal((await stats(String(id), key)).status, 404);
    }
  });
});

test('counts only tables of schemas', () => {
  assert.deepEqual(['ds_x', 'dsx', 'customers'].map(isSchemaTable), [true, false, false]);
});
