import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { columnsOf, customerFields } from './condition-fields.ts';
import { operatorsOf, shapeOf, typedValue, valueFor } from './operators.ts';
import { suggestionsOf } from './value-suggestions.ts';

const schema = (name: string, more: Partial<DataSchema>, ...columns: readonly string[]): DataSchema =>
  ({
    id: `id of ${name}`,
    name,
    displayName: name,
    schemaType: 'customer',
    linkedSchemaId: null,
    summaryColumns: null,
    autoEnrich: true,
    fields: columns.map((column) => ({ name: column, dataType: 'integer' })),
    ...more,
  }) as unknown as DataSchema;

test('lists the values that enrichment reads, the first writer of a name once', () => {
  const fields = customerFields([
    schema('members', {}, 'age', 'tier'),
    schema('homes', { linkedSchemaId: 'x', summaryColumns: ['size'] }, 'age', 'size', 'rooms'),
    schema('visits', { linkedSchemaId: 'x', schemaType: 'event' }, 'amount'),
    schema('unread', { autoEnrich: false }, 'secret'),
  ]);
  assert.deepEqual(
    fields.map(({ name, from }) => [name, from]),
    [
      ['age', 'members'],
      ['tier', 'members'],
      ['size', 'homes'],
      ['visits_count', 'visits'],
    ],
  );
  assert.deepEqual(
    columnsOf(schema('visits', {}, 'amount'), 'v.').map(({ name, type }) => [name, type]),
    [['v.amount', 'number']],
  );
});

test('suggests frequent texts, and the range of numbers', () => {
  const stats = {
    fields: [
      { name: 'tier', type: 'text', distinctCount: 2, nullCount: 0, topValues: [{ value: 'gold', count: 3 }] },
      { name: 'age', type: 'numeric', distinctCount: 2, nullCount: 0, min: 18, max: '90', avg: 40 },
    ],
    totalRows: 3,
    sampled: false,
    cachedAt: '2026-01-01T00:00:00Z',
  } as const;
  assert.deepEqual(suggestionsOf(stats as never, 'tier'), { values: ['gold'], range: null });
  assert.deepEqual(suggestionsOf(stats as never, 'age'), { values: [], range: { least: '18', most: '90' } });
  assert.deepEqual(suggestionsOf(null, 'age'), { values: [], range: null });
});

test('gives values the shape that the operator takes', () => {
  assert.deepEqual(valueFor('in', 'text', 'gold'), ['gold']);
  assert.deepEqual(valueFor('between', 'number', 3), [3, '']);
  assert.equal(valueFor('eq', 'text', ['gold', 'black']), 'gold');
  assert.equal(valueFor('eq', 'flag', undefined), true);
  assert.equal(valueFor('exists', 'text', 'gold'), undefined);
  assert.equal(valueFor('within_last_days', 'day', '2026-01-01'), 30);
  for (const operators of Object.values(operatorsOf)) for (const one of operators) assert.ok(shapeOf(one));
});

test('reads typed values by the type of the field', () => {
  assert.equal(typedValue('12.5', 'number'), 12.5);
  assert.equal(typedValue('12.', 'number'), 12);
  assert.equal(typedValue('x', 'number'), 'x');
  assert.equal(typedValue('12', 'text'), '12');
  assert.equal(typedValue('12', 'unknown'), 12);
  assert.equal(typedValue('007', 'unknown'), '007');
  assert.equal(typedValue('true', 'unknown'), true);
});
