import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonDifferences } from './json-differences.ts';

const cases: readonly [what: string, before: unknown, after: unknown, expected: [string, unknown, unknown][]][] = [
  ['equal', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['missing and null', { a: null }, {}, []],
  ['a member', { a: 1 }, { a: 2 }, [['/a', 1, 2]]],
  ['inside', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, [['/a/b/1', 2, 3]]],
  ['a longer list', { a: [1] }, { a: [1, 2] }, [['/a/1', null, 2]]],
  ['a shorter list', { a: [1, 2] }, { a: [1] }, [['/a/1', 2, null]]],
  ['list and object', { a: [] }, { a: {} }, [['/a', [], {}]]],
  ['an object that comes', {}, { a: { b: 1 } }, [['/a', null, { b: 1 }]]],
  ['an object that goes', { a: { b: 1 } }, { a: null }, [['/a', { b: 1 }, null]]],
  [
    'odd names',
    { 'a/b~c': 1, '': 1 },
    { 'a/b~c': 2, '': 2 },
    [
      ['/a~1b~0c', 1, 2],
      ['/', 1, 2],
    ],
  ],
  ['text and number', { a: '1' }, { a: 1 }, [['/a', '1', 1]]],
  ['prototype names', {}, JSON.parse('{"__proto__":1}'), [['/__proto__', null, 1]]],
];

for (const [what, before, after, expected] of cases) {
  test(`differences: ${what}`, () => {
    assert.deepEqual(
      jsonDifferences(before, after),
      expected.map(([path, was, is]) => ({ path, before: was, after: is })),
    );
  });
}
