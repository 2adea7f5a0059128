import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileCondition, conditionFindings } from './condition.rules.ts';

const roots = ['data', 'customer'];
const holds = (condition: unknown, data: object): boolean => compileCondition(condition).evaluate({ data }).matched;
const leaf = (operator: string, value?: unknown) => ({ field: 'data.x', operator, value });

test('a missing field makes a leaf false, except not_exists', () => {
  for (const operator of ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists']) {
    assert.equal(holds(leaf(operator, 1), {}), false, operator);
    assert.equal(holds(leaf(operator, 1), { x: null }), false, operator);
  }
  assert.equal(holds(leaf('in', [1]), {}), false);
  assert.equal(holds(leaf('not_in', [1]), {}), false);
  assert.equal(holds(leaf('not_exists'), {}), true);
  assert.equal(holds(leaf('not_exists'), { x: 0 }), false);
});

test('operators compare values of one type on both sides of their boundary', () => {
  const cases: readonly (readonly [string, unknown, unknown, boolean])[] = [
    ['eq', 1, 1, true],
    ['eq', '1', 1, false],
    ['neq', 2, 1, true],
    ['gt', 2, 1, true],
    ['gt', 1, 1, false],
    ['gte', 1, 1, true],
    ['lt', 0, 1, true],
    ['lt', 1, 1, false],
    ['lte', 1, 1, true],
    ['gt', '2', 1, false],
    ['gt', 'b', 'a', true],
    ['in', 1, [1, 2], true],
    ['not_in', 3, [1, 2], true],
    ['contains', ['a'], 'a', true],
    ['contains', 'team', 'ea', true],
    ['contains', 5, 5, false],
  ];
  for (const [operator, value, other, expected] of cases) {
    assert.equal(holds(leaf(operator, other), { x: value }), expected, `${value} ${operator} ${other}`);
  }
});

test('all, any and not nest, and the reason names the leaf that failed', () => {
  const condition = compileCondition({ all: [leaf('gte', 1), { any: [leaf('eq', 1), { not: leaf('eq', 2) }] }] });
  assert.deepEqual(condition.evaluate({ data: { x: 3 } }), { matched: true, reason: null });
  assert.deepEqual(condition.evaluate({ data: { x: 0 } }), { matched: false, reason: 'data.x is not gte 1' });
  assert.equal(condition.evaluate({ data: { x: 2 } }).matched, false);
  assert.equal(compileCondition({ all: [] }).evaluate({}).matched, true);
  assert.equal(compileCondition({ any: [] }).evaluate({}).matched, false);
  assert.deepEqual(compileCondition({ field: 'customer.age', operator: 'exists' }).roots, new Set(['customer']));
});

test('only own properties are read', () => {
  const condition = compileCondition({ field: 'data.constructor', operator: 'exists' });
  assert.equal(condition.evaluate({ data: {} }).matched, false);
});

test('findings name the place and the nearest word', () => {
  const found = (condition: unknown) => conditionFindings(condition, '/condition', roots);
  assert.deepEqual(found({ all: [{ field: 'date.x', operator: 'exists' }] }), [
    { path: '/condition/all/0/field', message: 'must start with data, customer' },
  ]);
  assert.match(found(leaf('gtee', 1))[0]?.message ?? '', /did you mean|gte/i);
  assert.deepEqual(found(leaf('in', 1)), [{ path: '/condition/value', message: 'must be an array' }]);
  assert.deepEqual(found(leaf('eq')), [{ path: '/condition/value', message: 'is required' }]);
  const nested = (depth: number): unknown => (depth === 1 ? leaf('exists') : { not: nested(depth - 1) });
  assert.deepEqual(found(nested(10)), []);
  assert.equal(found(nested(11)).length, 1);
});
