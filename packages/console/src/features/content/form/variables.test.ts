import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalizationOf, variablesOf } from './variables.ts';

test('reads both forms of a variable, and writes what it read', () => {
  const stored = { first: { source: 'customer.first_name', fallback: 'there' }, tier: { source: 'customer.tier' } };
  assert.deepEqual(variablesOf({ ...stored, city: 'customer.city', gone: null }), [
    { name: 'first', source: 'customer.first_name', fallback: 'there' },
    { name: 'tier', source: 'customer.tier', fallback: '' },
    { name: 'city', source: 'customer.city', fallback: '' },
    { name: 'gone', source: '', fallback: '' },
  ]);
  assert.deepEqual(personalizationOf(variablesOf(stored)), stored);
  assert.deepEqual(personalizationOf(variablesOf({ gone: null })), { gone: null });
});

test('leaves out variables without a name', () => {
  assert.deepEqual(personalizationOf([{ name: ' ', source: 'customer.a', fallback: '' }]), {});
  assert.deepEqual(variablesOf('x'), []);
});
