import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeclaredType, readColumnType } from './data-types.ts';

const bare = { length: null, precision: null, scale: null };

test('stores aliases and letter cases in canonical spelling', () => {
  const spellings: [string, string][] = [
    ['STRING', 'varchar'],
    ['Character Varying', 'varchar'],
    ['longtext', 'text'],
    ['INT', 'integer'],
    ['int2', 'smallint'],
    ['long', 'bigint'],
    ['money', 'decimal'],
    ['Numeric', 'numeric'],
    ['float4', 'real'],
    ['double  precision', 'double'],
    ['bool', 'boolean'],
    ['datetime', 'timestamptz'],
    ['timestamp without time zone', 'timestamp'],
    ['timestamp with time zone', 'timestamptz'],
    ['json', 'jsonb'],
  ];
  for (const [written, stored] of spellings) {
    assert.deepEqual(readColumnType({ dataType: written }), { ...bare, dataType: stored }, written);
  }
  assert.deepEqual(readColumnType({}), { ...bare, dataType: 'varchar' });
  assert.deepEqual(readColumnType({ dataType: 'char' }), { ...bare, dataType: 'char', length: 1 });
});

test('numbers in the type set length, precision and scale', () => {
  assert.deepEqual(readColumnType({ dataType: 'varchar(50)' }), { ...bare, dataType: 'varchar', length: 50 });
  assert.deepEqual(readColumnType({ dataType: 'VARCHAR ( 50 )', length: 50 }), {
    ...bare,
    dataType: 'varchar',
    length: 50,
  });
  const decimal = { dataType: 'numeric', length: null, precision: 10, scale: 2 };
  assert.deepEqual(readColumnType({ dataType: 'numeric(10,2)' }), decimal);
  assert.deepEqual(readColumnType({ dataType: 'numeric', precision: 10, scale: 2 }), decimal);
  assert.deepEqual(readColumnType({ dataType: 'numeric(10)' }), { ...decimal, scale: 0 });
});

test('rejects everything else at its own property', () => {
  const refused: [DeclaredType, string][] = [
    [{ dataType: 'blob' }, 'dataType'],
    [{ dataType: 'constructor' }, 'dataType'],
    [{ dataType: '__proto__' }, 'dataType'],
    [{ dataType: 'varchar(50); drop table x' }, 'dataType'],
    [{ dataType: 'varchar) default (select 1' }, 'dataType'],
    [{ dataType: 'integer[]' }, 'dataType'],
    [{ dataType: 'varchar(10,2)' }, 'dataType'],
    [{ dataType: 'integer(4)' }, 'dataType'],
    [{ dataType: 'varchar(50)', length: 60 }, 'length'],
    [{ dataType: 'varchar(0)' }, 'length'],
    [{ dataType: 'varchar', length: 65_536 }, 'length'],
    [{ dataType: 'char(256)' }, 'length'],
    [{ dataType: 'integer', length: 4 }, 'length'],
    [{ dataType: 'numeric(10,2)', scale: 3 }, 'scale'],
    [{ dataType: 'numeric(10,2)', precision: 9 }, 'precision'],
    [{ dataType: 'numeric(101)' }, 'precision'],
    [{ dataType: 'numeric', precision: 2, scale: 3 }, 'scale'],
    [{ dataType: 'numeric', scale: 3 }, 'scale'],
    [{ dataType: 'varchar', precision: 3 }, 'precision'],
  ];
  for (const [declared, key] of refused) {
    const result = readColumnType(declared);
    assert.ok('key' in result, JSON.stringify(declared));
    assert.equal(result.key, key, JSON.stringify(declared));
  }
});
