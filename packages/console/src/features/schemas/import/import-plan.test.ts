import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CsvAnalysis } from '@arbiter/contract/catalogue/schema-figures';
import { DataSchemaCreate } from '@arbiter/contract/catalogue/schemas';
import { Value } from 'typebox/value';
import { badLinesOf, ignoredHeaders, planOf, rowNumber, schemaOf, withColumn } from './import-plan.ts';

const column = (name: string, dataType: CsvAnalysis['columns'][number]['dataType'], isKey = false) => ({
  ...{ name, dataType, isNullable: !isKey, isPrimaryKey: isKey, isUnique: isKey, defaultValue: null },
});
const analysis: CsvAnalysis = {
  columns: [
    column('id', 'integer', true),
    { ...column('default_col', 'varchar'), length: 50 },
    column('age', 'integer'),
  ],
  headers: ['id', ' default ', 'Age'],
  sample: [
    ['1', 'no', '58'],
    ['2', 'yes', ''],
  ],
  ...{ rowCount: 2, estimatedRows: 2, truncated: false, encoding: 'utf-8', delimiter: ';' },
};

test('suggests names, types, key and values from the analysis', () => {
  const plan = planOf('bank-full.v2.csv', analysis);
  assert.equal(plan.displayName, 'Bank full.v2');
  assert.equal(plan.key, 'id');
  assert.deepEqual(
    plan.columns.map(({ name, label, type, values }) => [name, label, type, values]),
    [
      ['id', 'ID', 'integer', ['1', '2']],
      ['default_col', 'Default', 'varchar', ['no', 'yes']],
      ['age', 'Age', 'integer', ['58', '']],
    ],
  );
});

test('creates a schema that the contract accepts, without columns that are left out', () => {
  const plan = withColumn(planOf('Bank.csv', analysis), 'age', { isUsed: false });
  const body = schemaOf(withColumn(plan, 'default_col', { neverStore: true, label: ' ' }));
  assert.equal(Value.Check(DataSchemaCreate, body), true);
  assert.equal(body.name, 'bank');
  assert.deepEqual(body.fields, [
    { name: 'id', displayName: 'ID', dataType: 'integer', isNullable: false, isPrimaryKey: true },
    {
      ...{ name: 'default_col', displayName: 'default_col', dataType: 'varchar', length: 50 },
      ...{ isNullable: true, isPrimaryKey: false, neverStore: true },
    },
  ]);
});

test('a column named id is not the key unless it is chosen, and the key is always loaded', () => {
  const plan = withColumn({ ...planOf('Bank.csv', analysis), key: 'age' }, 'age', { isUsed: false });
  assert.deepEqual(
    schemaOf(plan).fields?.map(({ name, isPrimaryKey }) => [name, isPrimaryKey]),
    [
      ['id_col', false],
      ['default_col', false],
      ['age', true],
    ],
  );
  const numbered = schemaOf({ ...plan, key: rowNumber });
  assert.equal(
    numbered.fields?.some(({ isPrimaryKey }) => isPrimaryKey),
    false,
  );
});

test('links rows that are not customers, and lets decisions read them only then', () => {
  const plan = { ...planOf('Visits.csv', analysis), schemaType: 'event' };
  assert.deepEqual([schemaOf(plan).linkedSchemaId, schemaOf(plan).autoEnrich], [undefined, false]);
  const linked = schemaOf({ ...plan, parentId: 'p', childField: 'age' });
  assert.deepEqual([linked.linkedSchemaId, linked.joinMapping, linked.autoEnrich], ['p', { childField: 'age' }, true]);
});

test('keeps the length of limited text only', () => {
  const plan = withColumn(planOf('Bank.csv', analysis), 'default_col', { type: 'text' });
  assert.equal('length' in (schemaOf(plan).fields?.[1] ?? {}), false);
});

test('reads lines and columns from errors', () => {
  assert.deepEqual(
    badLinesOf(
      [{ message: 'line 57: age must be an integer' }, { message: 'line 9: has 3 cells' }, { message: 'has no rows' }],
      analysis.columns,
    ),
    [
      { line: 57, column: 'age', message: 'age must be an integer' },
      { line: 9, column: null, message: 'has 3 cells' },
      { line: null, column: null, message: 'has no rows' },
    ],
  );
});

test('lists headers that match no column of a stored schema', () => {
  const fields = [{ name: 'default_col' }, { name: 'ID_col' }] as never;
  assert.deepEqual(ignoredHeaders(analysis, { fields }), ['Age']);
});
