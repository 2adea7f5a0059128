import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeChanges, realChanges, sameValue, valueAt, withValue } from './changes.ts';

test('values are equal whatever the order of their keys, and null equals a missing key', () => {
  assert.equal(sameValue({ a: 1, b: [1, { c: null }] }, { b: [1, {}], a: 1 }), true);
  assert.equal(sameValue({ a: [1, 2] }, { a: [2, 1] }), false);
  assert.equal(sameValue(null, undefined), true);
  assert.equal(sameValue(0, null), false);
  assert.equal(sameValue('', null), false);
});

test('ignores a change back to the stored value', () => {
  assert.deepEqual(realChanges({ name: 'A', tags: ['x'] }, { name: 'B', tags: ['x'] }), { name: 'B' });
});

test('merges by property: only what both changed differently is a conflict', () => {
  const base = { name: 'A', priority: 50, tags: [], status: 'draft' };
  const theirs = { name: 'B', priority: 60, tags: [], status: 'draft' };
  const merge = mergeChanges(base, { name: 'C', tags: ['new'] }, theirs);
  assert.deepEqual(merge, {
    changes: { tags: ['new'] },
    conflicts: [{ name: 'name', base: 'A', mine: 'C', theirs: 'B' }],
    others: ['priority'],
  });
  assert.deepEqual(mergeChanges(base, { name: 'B' }, theirs).conflicts, [], 'both made the same change');
});

test('sets and reads values by their path', () => {
  const values = { budget: { daily: 1 } };
  assert.deepEqual(withValue(values, ['budget', 'total'], 5), { budget: { daily: 1, total: 5 } });
  assert.deepEqual(withValue({ budget: null }, ['budget', 'total'], 5), { budget: { total: 5 } });
  assert.equal(valueAt(values, ['budget', 'daily']), 1);
  assert.equal(valueAt({ budget: null }, ['budget', 'daily']), undefined);
});

test('steps into lists are positions', () => {
  const values = { windows: [{ max: 1 }, { max: 2 }] };
  assert.equal(valueAt(values, ['windows', '1', 'max']), 2);
  assert.deepEqual(withValue(values, ['windows', '1', 'days'], 7), { windows: [{ max: 1 }, { max: 2, days: 7 }] });
  assert.equal(valueAt(values, ['windows', '5', 'max']), undefined);
});
