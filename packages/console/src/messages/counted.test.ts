import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from './counted.ts';

test('counts one in the singular, and everything else in the plural', () => {
  assert.equal(counted('1', 'row'), '1 row');
  assert.equal(counted(1, 'row'), '1 row');
  assert.equal(counted(0, 'row'), '0 rows');
  assert.equal(counted('1,204', 'row'), '1,204 rows');
  assert.equal(counted('2', 'customer is', 'customers are'), '2 customers are');
});
