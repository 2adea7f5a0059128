import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import Value from 'typebox/value';
import { tenantA } from '../../../http/test-app.ts';
import { customerChanged } from './schemas.events.ts';
import { createTestSchemas, type TestSchemas } from './test-schemas.ts';

let kit: TestSchemas;
before(async () => {
  kit = await createTestSchemas();
});
after(() => kit.db.close());
beforeEach(() => {
  kit.events.length = 0;
});

/** What the stream was told: event, customer and changed columns. */
function told(): unknown[] {
  return kit.events.map((event) => {
    assert.ok(Value.Check(customerChanged.envelope, event), JSON.stringify(event));
    const { payload } = event as { payload: { event: string; customerId: string; changed: string[] } };
    return [payload.event.replace('customer.', ''), payload.customerId, payload.changed];
  });
}

const fields = [
  { name: 'customer_id', isPrimaryKey: true },
  { name: 'age', dataType: 'integer' },
  { name: 'tier', defaultValue: 'gold' },
  { name: 'likes', dataType: 'jsonb' },
];

test('reports a new row with its non-empty columns, and no skipped row', async () => {
  const schema = await kit.create({ fields });
  await kit.insert(schema.id, [{ customer_id: 'a', age: 1 }, { customer_id: 'b', tier: null }, { customer_id: 'a' }]);
  assert.deepEqual(told(), [
    ['created', 'a', ['customer_id', 'age', 'tier']],
    ['created', 'b', ['customer_id']],
  ]);
  for (const event of kit.events) {
    const { schemaId, schemaName } = event.payload as { schemaId: string; schemaName: string };
    assert.deepEqual([event.tenantId, schemaId, schemaName], [tenantA, schema.id, schema.name]);
  }
  kit.events.length = 0;
  await kit.insert(schema.id, [{ customer_id: 'a', age: 9 }]);
  assert.deepEqual(told(), []);
});

test('reports an updated row with its changed columns, and no unchanged row', async () => {
  const schema = await kit.create({ fields });
  await kit.insert(schema.id, [
    { customer_id: 'a', age: 1, likes: { tea: true } },
    { customer_id: 'b', age: 2 },
    { customer_id: 'c', age: 3 },
  ]);
  kit.events.length = 0;
  const answer = await kit.insert(
    schema.id,
    [
      { customer_id: 'a', age: 1, likes: { tea: false } },
      { customer_id: 'b', age: '2' },
      { customer_id: 'c', age: null, tier: 'gold' },
      { customer_id: 'd', age: 4 },
    ],
    'update',
  );
  assert.deepEqual([answer.json.inserted, answer.json.updated], [1, 3]);
  const sorted = told().sort((a, b) => (String(a) < String(b) ? -1 : 1));
  assert.deepEqual(sorted, [
    ['created', 'd', ['customer_id', 'age', 'tier']],
    ['updated', 'a', ['likes']],
    ['updated', 'c', ['age']],
  ]);
});

test('finds a row by its unique field, and reports it by its row key in the form of rows', async () => {
  const schema = await kit.create({
    fields: [
      { name: 'customer_id', dataType: 'bigint' },
      { name: 'email', isUnique: true },
    ],
  });
  await kit.insert(schema.id, [{ customer_id: '007', email: 'x' }, { email: 'nobody' }]);
  await kit.insert(schema.id, [{ customer_id: 8, email: 'x' }], 'update');
  assert.deepEqual(told(), [
    ['created', '7', ['customer_id', 'email']],
    ['updated', '8', ['customer_id']],
  ]);
});

test('reports nothing for a schema without customers, a large request or a rejected one', async () => {
  const events = await kit.create({ schemaType: 'event', fields });
  await kit.insert(events.id, [{ customer_id: 'a' }]);
  const schema = await kit.create({ fields });
  const rows = (count: number, word: string) =>
    Array.from({ length: count }, (_, at) => ({ customer_id: `${word}${at}` }));
  await kit.insert(schema.id, rows(1_001, 'x'));
  await kit.insert(schema.id, [{ customer_id: 'good' }, { customer_id: 'bad', age: 'old' }]);
  assert.deepEqual(told(), []);
  await kit.insert(schema.id, rows(1_000, 'y'));
  assert.equal(told().length, 1_000);
});

test('parallel updates of one row report each change once', async () => {
  const schema = await kit.create({ fields });
  await kit.insert(schema.id, [{ customer_id: 'a', age: 0 }]);
  kit.events.length = 0;
  await Promise.all(Array.from({ length: 10 }, () => kit.insert(schema.id, [{ customer_id: 'a', age: 1 }], 'update')));
  assert.deepEqual(told(), [['updated', 'a', ['age']]]);
});
