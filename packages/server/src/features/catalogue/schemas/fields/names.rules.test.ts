import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldNameProblem, sanitiseSchemaName, schemaNameProblem } from './names.rules.ts';

test('sanitizes schema names by code point', () => {
  assert.equal(sanitiseSchemaName('Straße'), 'stra_e');
  assert.equal(sanitiseSchemaName('123'), '123');
  assert.equal(sanitiseSchemaName('a-b'), 'a_b');
  assert.equal(sanitiseSchemaName('a😀b'), 'a_b');
  assert.equal(sanitiseSchemaName('x"; drop table y; --'), 'x___drop_table_y____');
});

test('a sanitized name needs a letter or digit, and fits behind ds_', () => {
  assert.equal(schemaNameProblem('a'), null);
  assert.equal(schemaNameProblem('a'.repeat(60)), null);
  assert.match(schemaNameProblem('a'.repeat(61)) ?? '', /60 bytes/);
  assert.notEqual(schemaNameProblem('___'), null);
  assert.notEqual(schemaNameProblem(''), null);
});

test("never changes field names: they're valid or rejected", () => {
  for (const name of ['a', '_x', 'customerId', 'day', 'month', 'a'.repeat(63)]) {
    assert.equal(fieldNameProblem(name), null, name);
  }
  const refused = [
    '',
    '1a',
    'a b',
    'a"b',
    'a\u0000b',
    'Straße',
    'a'.repeat(64),
    'select',
    'User',
    'ctid',
    'XMIN',
    'tenant_id',
    'TENANT_ID',
    '__x',
    'pg_x',
    'PG_catalog',
    'constructor',
    'prototype',
    '__proto__',
    'a\n',
  ];
  for (const name of refused) assert.notEqual(fieldNameProblem(name), null, JSON.stringify(name));
});
