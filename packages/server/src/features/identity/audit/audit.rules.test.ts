import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeChange, secretMask } from './audit.rules.ts';

test('changes list only the changed leaves, by dotted path', () => {
  const { changes } = describeChange(
    { name: 'a', config: { limit: 3, days: [1, 2] }, same: true },
    { name: 'a', config: { limit: 4, days: [1] }, same: true, note: 'new' },
  );
  assert.deepEqual(changes, {
    'config.limit': { before: 3, after: 4 },
    'config.days.1': { before: 2, after: null },
    note: { before: null, after: 'new' },
  });
});

test('a creation and a deletion list every leaf', () => {
  assert.deepEqual(describeChange(null, { a: 1, b: {} }).changes, {
    a: { before: null, after: 1 },
    b: { before: null, after: {} },
  });
  assert.deepEqual(describeChange({ a: 1 }, null), {
    before: { a: 1 },
    after: null,
    changes: { a: { before: 1, after: null } },
  });
});

test('instants become ISO strings, and undefined properties are removed', () => {
  const at = new Date('2026-11-20T09:00:00.000Z');
  assert.deepEqual(describeChange(null, { at, gone: undefined }).after, { at: '2026-11-20T09:00:00.000Z' });
});

test('secrets appear as bullets in records and changes, and a change of one still shows', () => {
  const seen = describeChange(
    { clientSecret: 'kcs_1', config: { authConfig: { user: 'u' }, password: null } },
    { clientSecret: 'kcs_2', config: { authConfig: { user: 'u' }, password: 'hunter22' } },
  );
  assert.deepEqual(seen.after, { clientSecret: secretMask, config: { authConfig: secretMask, password: secretMask } });
  assert.deepEqual(seen.changes, {
    clientSecret: { before: secretMask, after: secretMask },
    'config.password': { before: null, after: secretMask },
  });
  assert.doesNotMatch(JSON.stringify(seen), /kcs_|hunter/);
});

test('a property named like a prototype is data, not a prototype', () => {
  const { changes } = describeChange(null, JSON.parse('{"constructor": {"x": 1}}'));
  assert.deepEqual(changes, { 'constructor.x': { before: null, after: 1 } });
});
