import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customerIdsOf, daysOf } from './typed-values.ts';

test('takes one customer ID per line, each once', () => {
  assert.deepEqual(customerIdsOf(' a \r\n\nb b\na'), ['a', 'b b']);
  assert.deepEqual(customerIdsOf('\n'), []);
});

test('takes whole days within the limits of the API', () => {
  assert.deepEqual(['', '1', ' 30 ', '36500'].map(daysOf), [null, 1, 30, 36_500]);
  assert.deepEqual(['0', '1.5', '36501', 'x'].map(daysOf), ['bad', 'bad', 'bad', 'bad']);
});
