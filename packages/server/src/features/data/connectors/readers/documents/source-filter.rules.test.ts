import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf } from './source-filter.rules.ts';

test('reads comparisons, lists, existence and their combinations', () => {
  assert.equal(filterOf(undefined), null);
  assert.deepEqual(filterOf({ a: 1, 'b.c': { $gt: 2, $exists: true }, $or: [{ d: { $in: ['x', null] } }] }), {
    kind: 'and',
    filters: [
      { kind: 'compare', field: 'a', by: 'eq', value: 1 },
      { kind: 'compare', field: 'b.c', by: 'gt', value: 2 },
      { kind: 'exists', field: 'b.c', exists: true },
      { kind: 'or', filters: [{ kind: 'and', filters: [{ kind: 'in', field: 'd', values: ['x', null] }] }] },
    ],
  });
});

const deep = (depth: number): object => (depth === 0 ? { a: 1 } : { $and: [deep(depth - 1)] });

for (const filter of [
  ...[[], 'a', 1, true, { $where: 'sleep(1)' }, { a: { $where: '1' } }, { a: { $regex: 'x' } }, { a: {} }],
  ...[{ $expr: {} }, { $text: { $search: 'a' } }, { a: { $not: { $gt: 1 } } }, { a: { b: 1 } }, { a: [1] }],
  ...[{ $and: [] }, { $and: {} }, { $or: [1] }, { $nor: [{ a: 1 }] }, { a: { $in: 'x' } }, { a: { $in: [{}] } }],
  ...[{ a: { $exists: 1 } }, { a: { $gt: null } }, { a: { $gt: {} } }, { '': 1 }, { 'a\0': 1 }, deep(11)],
  ...[{ a: { $in: Array.from({ length: 1001 }, () => 1) } }, { a: { __proto__: null, constructor: 1 } }],
]) {
  test(`rejects ${JSON.stringify(filter).slice(0, 60)}`, () => {
    assert.throws(() => filterOf(filter), { reason: 'missing_config' });
  });
}
