import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaRecordOperations } from '@arbiter/contract/catalogue/schemas';
import { fieldsOf } from '../../../forms/editing/field-spec.ts';
import { columnFields, tableNameOf, withDataType, withKey } from './column-shape.ts';

const definition =
  fieldsOf(schemaRecordOperations.create, undefined).find(({ name }) => name === 'fields')?.fields ?? [];
const namesFor = (values: Readonly<Record<string, unknown>>) =>
  columnFields(values, definition).map(({ name }) => name);

test('shows length, precision and scale only for types that have them', () => {
  assert.ok(definition.length > 10);
  assert.deepEqual(
    ['length', 'precision', 'scale'].filter((name) => namesFor({ dataType: 'varchar' }).includes(name)),
    ['length'],
  );
  assert.deepEqual(
    ['length', 'precision', 'scale'].filter((name) => namesFor({ dataType: 'numeric' }).includes(name)),
    ['precision', 'scale'],
  );
  assert.equal(namesFor({ dataType: 'date' }).includes('length'), false);
});

test('a primary key is implicitly required and unique', () => {
  const names = namesFor({ dataType: 'varchar', isPrimaryKey: true });
  assert.equal(names.includes('isNullable') || names.includes('isUnique'), false);
  assert.deepEqual(withKey({ name: 'id', isNullable: true }, true), {
    ...{ name: 'id', isPrimaryKey: true, isNullable: false, isUnique: false },
  });
});

test('a new data type removes properties of the old one', () => {
  assert.deepEqual(withDataType({ name: 'tier', dataType: 'varchar', length: 20 }, 'integer'), {
    name: 'tier',
    dataType: 'integer',
  });
  assert.deepEqual(withDataType({ name: 'tier', dataType: 'varchar', length: 20 }, 'char'), {
    ...{ name: 'tier', dataType: 'char', length: 20 },
  });
});

test('names a table as the API does', () => {
  assert.equal(tableNameOf(' Bank full-2 '), 'bank_full_2');
  assert.equal(tableNameOf('Größe'), 'grosse');
  assert.equal(tableNameOf('a🌱'), 'a_');
});
