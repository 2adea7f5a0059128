import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedValues } from './shared-values.ts';

test('shares one object among equal short JSON texts, but not among long ones', () => {
  const shared = createSharedValues();
  assert.equal(shared.json('{"a":[1]}'), shared.json('{"a":[1]}'));
  assert.deepEqual(shared.json('{"a":[1]}'), { a: [1] });
  const long = JSON.stringify('x'.repeat(600));
  assert.equal(shared.json(long), 'x'.repeat(600));
  assert.equal(shared.text(null), null);
  assert.equal(shared.text('email'), 'email');
});

test('keeps no more than its limit', () => {
  const shared = createSharedValues(2);
  const first = shared.json('[1]');
  shared.json('[2]');
  assert.notEqual(shared.json('[3]'), shared.json('[3]'));
  assert.equal(shared.json('[1]'), first);
});
