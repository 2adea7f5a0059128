import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keys } from '../../../../http/test-app.ts';
import { newId } from '../../../../platform/ids.ts';
import { createTestSchemas, joinsUrl, type TestSchemas, url } from '../test-schemas.ts';

let kit: TestSchemas;
let members: string;
let visits: string;
before(async () => {
  kit = await createTestSchemas();
  members = (await kit.create({ name: 'members', fields: [{ name: 'customer_id', isPrimaryKey: true }] })).id;
  visits = (await kit.create({ name: 'visits', schemaType: 'event', fields: [{ name: 'client' }, { name: 'guest' }] }))
    .id;
});
after(() => kit.db.close());

const body = (changes: Record<string, unknown> = {}) => ({
  name: `join ${newId()}`,
  primarySchemaId: members,
  primaryKey: 'customer_id',
  foreignSchemaId: visits,
  foreignKey: 'client',
  autoEnrich: false,
  ...changes,
});
const create = (changes: Record<string, unknown> = {}, key?: string) => kit.call('POST', joinsUrl, body(changes), key);
/** From many rows of a customer to one: nothing that a decision could start from. */
const turned = () => ({
  primarySchemaId: visits,
  primaryKey: 'client',
  foreignSchemaId: members,
  foreignKey: 'customer_id',
});
const facts = (answer: { status: number; json: { code: string; errors: { path: string }[] } }) => [
  answer.status,
  answer.json.code,
  answer.json.errors?.[0]?.path,
];

test('a join refers to two schemas and a column of each, and shows their names', async () => {
  const made = await create({ prefix: 'v_', summaryColumns: ['amount'], joinType: 'inner', status: 'inactive' });
  assert.equal(made.status, 201, made.text);
  const { primarySchemaName, foreignSchemaName, joinType, status, prefix, summaryColumns, version } = made.json;
  assert.deepEqual(
    [primarySchemaName, foreignSchemaName, joinType, status, prefix, summaryColumns, version],
    ['members', 'visits', 'inner', 'inactive', 'v_', ['amount'], 1],
  );
  // The counting column of a schema without a primary key is a column too.
  const changed = await kit.call('PUT', `${joinsUrl}/${made.json.id}`, {
    foreignKey: 'id',
    prefix: null,
    status: 'active',
  });
  assert.deepEqual([changed.json.foreignKey, changed.json.prefix, changed.json.version], ['id', null, 2], changed.text);
  assert.equal((await kit.call('DELETE', `${joinsUrl}?id=${made.json.id}`)).status, 204);
  assert.equal((await kit.call('GET', `${joinsUrl}/${made.json.id}`)).status, 404);
});

test('a repeated pair or name is a conflict', async () => {
  const first = await create();
  assert.deepEqual(facts(await create()), [409, 'duplicate_key', '/foreignKey']);
  assert.deepEqual(facts(await create({ name: first.json.name, foreignKey: 'guest' })), [
    409,
    'duplicate_name',
    '/name',
  ]);
  const other = await create({ foreignKey: 'guest' });
  assert.equal(other.status, 201, other.text);
  const moved = await kit.call('PUT', joinsUrl, { id: other.json.id, foreignKey: 'client' });
  assert.deepEqual(facts(moved), [409, 'duplicate_key', '/foreignKey']);
  for (const { json } of [first, other]) await kit.call('DELETE', `${joinsUrl}/${json.id}`);
});

test('rejects missing records and joins without effect, and changes nothing', async () => {
  const foreign = (await kit.call('POST', url, { name: 'theirs', displayName: 'T' }, keys.otherTenant)).json.id;
  for (const [changes, code, path] of [
    [{ primarySchemaId: newId() }, 'reference_not_found', '/primarySchemaId'],
    [{ foreignSchemaId: foreign }, 'reference_not_found', '/foreignSchemaId'],
    [{ foreignSchemaId: members }, 'validation_failed', '/foreignSchemaId'],
    [{ primaryKey: 'gone' }, 'validation_failed', '/primaryKey'],
    [{ foreignKey: 'tenant_id' }, 'validation_failed', '/foreignKey'],
    [{ ...turned(), autoEnrich: true }, 'validation_failed', '/autoEnrich'],
    [{ ...turned(), autoEnrich: undefined }, 'validation_failed', '/autoEnrich'],
    [{ prefix: 'Upper' }, 'validation_failed', '/prefix'],
    [{ summaryColumns: Array(51).fill('a') }, 'validation_failed', '/summaryColumns'],
    [{ summaryColumns: [1] }, 'validation_failed', '/summaryColumns/0'],
    [{ joinType: 'cross' }, 'validation_failed', '/joinType'],
  ] as const) {
    assert.deepEqual(facts(await create(changes)), [400, code, path], JSON.stringify(changes));
  }
  assert.equal((await kit.call('GET', joinsUrl)).json.pagination.total, 0);
  assert.equal((await create({ summaryColumns: Array.from({ length: 50 }, (_, at) => `c${at}`) })).status, 201);
  assert.equal((await create({}, keys.otherTenant)).status, 400);
});

test('a join that decisions read starts from the customer, whose rows an index finds', async () => {
  const other = await kit.create({ name: 'orders', schemaType: 'transaction', fields: [{ name: 'buyer' }] });
  const indexes = async () =>
    (
      await kit.db.ownerQuery<{ indexdef: string }>('select indexdef from pg_indexes where tablename = $1', [
        other.tableName,
      ])
    ).filter(({ indexdef }) => indexdef.endsWith('(tenant_id, buyer, id)')).length;
  const sides = { foreignSchemaId: other.id, foreignKey: 'buyer' };
  const quiet = await create({ ...sides, autoEnrich: false });
  assert.equal(await indexes(), 0);
  const read = await kit.call('PUT', joinsUrl, { id: quiet.json.id, autoEnrich: true });
  assert.deepEqual([read.status, read.json.autoEnrich], [200, true], read.text);
  assert.equal(await indexes(), 1);
  await kit.call('PUT', joinsUrl, { id: quiet.json.id, prefix: 'again_' });
  assert.equal(await indexes(), 1);
  const refused = await kit.call('PUT', joinsUrl, { id: quiet.json.id, ...turned() });
  assert.deepEqual(facts(refused), [400, 'validation_failed', '/autoEnrich']);
  await kit.call('DELETE', `${joinsUrl}/${quiet.json.id}`);
});

test('lists joins oldest first, filtered by a schema on either side', async () => {
  const late = await create({ foreignKey: 'guest' });
  const listed = await kit.call('GET', `${joinsUrl}?schemaId=${visits}`);
  assert.deepEqual([listed.json.data.length, listed.json.data.at(-1).id], [2, late.json.id]);
  assert.equal(listed.json.pagination.limit, 50);
  assert.equal((await kit.call('GET', `${joinsUrl}?schemaId=${members.toUpperCase()}`)).json.data.length, 2);
  for (const id of [newId(), 'no-id']) {
    assert.equal((await kit.call('GET', `${joinsUrl}?schemaId=${id}`)).json.data.length, 0);
  }
});
