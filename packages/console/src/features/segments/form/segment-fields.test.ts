import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { baseOf, segmentFields } from './segment-fields.ts';

const schema = (id: string, schemaType: string, column: string) =>
  ({ id, displayName: id, schemaType, fields: [{ name: column, dataType: 'integer' }] }) as unknown as DataSchema;
/** As the API lists them: newest first. */
const schemas = [
  schema('orders', 'transaction', 'amount'),
  schema('new', 'customer', 'age'),
  schema('old', 'customer', 'tier'),
];

test('selects from the oldest schema of customers unless another one is chosen', () => {
  assert.equal(baseOf(schemas, undefined)?.id, 'old');
  assert.equal(baseOf(schemas, 'new')?.id, 'new');
  assert.equal(baseOf([], undefined), undefined);
});

test('tests columns of the base by name and those of joins by their alias', () => {
  const joins = [{ alias: 'orders', schemaId: 'orders' }, { alias: '', schemaId: 'orders' }, { alias: 'x' }];
  assert.deepEqual(
    segmentFields(schemas, 'new', joins).map(({ name, type, from }) => [name, type, from]),
    [
      ['age', 'number', 'new'],
      ['orders.amount', 'number', 'orders'],
    ],
  );
});
