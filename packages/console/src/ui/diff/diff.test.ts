import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, type Json, pointerText, sameJson } from './differences.ts';
import { comparedWords } from './words.ts';

const summaryOf = (before: Json, after: Json) =>
  differences(before, after).found.map(({ pointer, kind }) => `${kind} ${pointer}`);

test('names differences by JSON pointer', () => {
  assert.deepEqual(summaryOf({ a: 1, b: { 'c/d': 2 } }, { a: 1, b: { 'c/d': 3 }, e: null }), [
    'changed /b/c~1d',
    'added /e',
  ]);
  assert.deepEqual(summaryOf({ a: 1 }, {}), ['removed /a']);
  assert.equal(pointerText('/b/c~1d'), 'b › c/d');
});

test('counts equal values, whatever the order of keys', () => {
  assert.deepEqual(differences({ a: 1, b: [2, 3] }, { b: [2, 3], a: 1 }), { found: [], unchanged: 3 });
  assert.equal(sameJson({ a: null }, { b: null }), false);
  assert.equal(differences({ a: 1, b: 2 }, { a: 1, b: 3 }).unchanged, 1);
});

test('compares lists of plain values as sets', () => {
  const [found] = differences({ tags: ['a', 'b'] }, { tags: ['b', 'c'] }).found;
  assert.deepEqual([found?.kind, found?.added, found?.removed], ['set', ['c'], ['a']]);
  assert.deepEqual(summaryOf(['a', 'b'], ['b', 'a']), ['changed ']);
});

test('matches items of a list by ID: moved, added, removed, changed', () => {
  const node = (id: string, limit: number) => ({ id, config: { limit } });
  assert.deepEqual(summaryOf([node('a', 1), node('b', 1), node('c', 1)], [node('b', 1), node('a', 2), node('d', 1)]), [
    'removed /c',
    'moved /b',
    'moved /a',
    'changed /a/config/limit',
    'added /d',
  ]);
  assert.deepEqual(summaryOf([node('a', 1), node('b', 1)], [node('x', 1), node('a', 1), node('b', 1)]), ['added /x']);
});

test('compares lists as a whole if their items have no name or the same one', () => {
  assert.deepEqual(summaryOf([{ x: 1 }], [{ x: 2 }]), ['changed ']);
  assert.deepEqual(summaryOf([{ id: 'a' }, { id: 'a' }], [{ id: 'a' }]), ['changed ']);
});

test('compares texts word by word', () => {
  assert.deepEqual(comparedWords('your drink is on us', 'your cake is on us today'), [
    { kind: 'same', text: 'your ' },
    { kind: 'removed', text: 'drink ' },
    { kind: 'added', text: 'cake ' },
    { kind: 'same', text: 'is on ' },
    { kind: 'removed', text: 'us' },
    { kind: 'added', text: 'us today' },
  ]);
  assert.equal(comparedWords('w '.repeat(401), 'w'), null);
  assert.notEqual(comparedWords('w '.repeat(399), 'w'), null);
});
