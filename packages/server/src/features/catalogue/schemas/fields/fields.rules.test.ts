import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeJoin } from '../joins/links.rules.ts';
import { draftField, draftFields, rowKeyOf } from './fields.rules.ts';

const paths = (result: ReturnType<typeof draftField>) =>
  'problems' in result ? result.problems.map((problem) => problem.path) : [];

test('a field gets its defaults', () => {
  const result = draftField({ name: 'age', dataType: 'INT' }, '');
  assert.ok('draft' in result);
  assert.deepEqual(result.draft, {
    name: 'age',
    displayName: 'age',
    description: '',
    dataType: 'integer',
    length: null,
    precision: null,
    scale: null,
    isNullable: true,
    isPrimaryKey: false,
    isUnique: false,
    isPredictor: false,
    neverStore: false,
    isSensitive: false,
    defaultValue: null,
  });
});

test('defaults are literals of the type or one of two functions', () => {
  const fitting: [string, string | number | boolean][] = [
    ['integer', '7'],
    ['integer', 7],
    ['boolean', 'true'],
    ['boolean', false],
    ['timestamptz', 'now()'],
    ['date', 'now()'],
    ['uuid', 'gen_random_uuid()'],
    ['varchar(36)', 'gen_random_uuid()'],
    ['varchar', "it's; drop table x --"],
    ['jsonb', '{"a":1}'],
    ['double', '1.5'],
  ];
  for (const [dataType, defaultValue] of fitting) {
    assert.deepEqual(paths(draftField({ name: 'x', dataType, defaultValue }, '')), [], `${dataType} ${defaultValue}`);
  }
  const refused: [string, string][] = [
    ['integer', 'now()'],
    ['integer', "nextval('x')"],
    ['integer', '(select 1)'],
    ['timestamptz', 'now() + interval $$1 day$$'],
    ['timestamptz', 'clock_timestamp()'],
    ['boolean', 'yes'],
    ['uuid', 'now()'],
    ['varchar(10)', 'longer than ten'],
    ['jsonb', '{'],
    ['double', 'Infinity'],
  ];
  for (const [dataType, defaultValue] of refused) {
    assert.deepEqual(paths(draftField({ name: 'x', dataType, defaultValue }, '/fields/3')), ['/fields/3/defaultValue']);
  }
});

test('keys: one, not nullable, of a type that can be a key', () => {
  assert.deepEqual(paths(draftField({ name: 'k', dataType: 'double', isPrimaryKey: true }, '')), ['/isPrimaryKey']);
  assert.deepEqual(paths(draftField({ name: 'k', isPrimaryKey: true, isNullable: true }, '')), ['/isNullable']);
  assert.deepEqual(paths(draftField({ name: 'id' }, '')), ['/name']);
  assert.deepEqual(paths(draftField({ name: 'ID', isPrimaryKey: true }, '')), []);
  const { problems } = draftFields([
    { name: 'a', isPrimaryKey: true },
    { name: 'A' },
    { name: 'b', isPrimaryKey: true },
    { name: 'c', dataType: 'nope' },
  ]);
  assert.deepEqual(
    problems.map((problem) => problem.path),
    ['/fields/1/name', '/fields/2/isPrimaryKey', '/fields/3/dataType'],
  );
});

test('the row key is customer_id, customerId, the primary key, id', () => {
  const key = { name: 'k', isPrimaryKey: true };
  assert.equal(
    rowKeyOf([key, { name: 'customerId', isPrimaryKey: false }, { name: 'customer_id', isPrimaryKey: false }]),
    'customer_id',
  );
  assert.equal(rowKeyOf([key, { name: 'customerId', isPrimaryKey: false }]), 'customerId');
  assert.equal(rowKeyOf([key]), 'k');
  assert.equal(rowKeyOf([]), 'id');
});

test('a link is active while both its fields exist', () => {
  const parent = [{ name: 'customer_id', isPrimaryKey: true }];
  const child = [
    { name: 'customer_id', isPrimaryKey: false },
    { name: 'owner', isPrimaryKey: false },
  ];
  assert.deepEqual(activeJoin(null, parent, child), {
    parentField: 'customer_id',
    childField: 'customer_id',
    joinType: 'left',
  });
  assert.equal(activeJoin({ foreignField: 'customer_id', localField: 'owner' }, parent, child)?.childField, 'owner');
  assert.equal(activeJoin({ childField: 'gone' }, parent, child), null);
  assert.equal(activeJoin({ parentKey: 'gone' }, parent, child), null);
});
