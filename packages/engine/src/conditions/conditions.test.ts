import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { emptyScope } from '../formula/scope.ts';
import type { CompiledCondition, ConditionOptions, Operator } from '../plan/condition.ts';
import type { FormulaScope } from '../plan/formula.ts';
import { compileCondition, compileConditionList, compileField } from './compile-condition.ts';
import { matcherOf, testOperator } from './match.ts';
import { CONDITION_OPERATORS } from './operator.ts';
import { parseCondition } from './parse-condition.ts';

function compiled(value: unknown, options?: ConditionOptions): CompiledCondition {
  const result = compileCondition(value, options);
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.problems));
  return result.condition;
}

function problemsOf(value: unknown, options?: ConditionOptions): readonly string[] {
  const result = compileCondition(value, options);
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

const leaf = { field: 'age', operator: 'exists' };
const NOW = 1_795_176_000_000;

test('stores operators in canonical spelling and groups in one form', () => {
  const { stored } = compiled([
    { field: 'age', operator: '>=', value: -0, id: 'ui-1' },
    { any: [{ field: 'name', operator: 'is_null', value: 3 }], comment: 'gone' },
  ]);
  assert.deepEqual(stored, {
    logic: 'and',
    conditions: [
      { field: 'age', operator: 'gte', value: 0 },
      { logic: 'or', conditions: [{ field: 'name', operator: 'not_exists' }] },
    ],
  });
  assert.deepEqual(compiled(null).stored, { logic: 'and', conditions: [] });
  assert.deepEqual(compiled({}).stored, { logic: 'and', conditions: [] });
  assert.deepEqual(compiled({ field: 'a', operator: '=', value: 'x' }).stored, {
    field: 'a',
    operator: 'eq',
    value: 'x',
  });
});

test('limits: 10 groups deep, 100 leaves, 1,000 values', () => {
  const nested = (depth: number): unknown => (depth === 0 ? leaf : { all: [nested(depth - 1)] });
  assert.deepEqual(problemsOf(nested(10)), []);
  assert.equal(problemsOf(nested(11)).length, 1);
  assert.deepEqual(problemsOf(Array(100).fill(leaf)), []);
  assert.deepEqual(problemsOf(Array(101).fill(leaf)), ['/100']);
  const list = (length: number) => ({ field: 'a', operator: 'in', value: Array.from({ length }, (_, index) => index) });
  assert.deepEqual(problemsOf(list(1000)), []);
  assert.deepEqual(problemsOf(list(1001)), ['/value']);
  let deep: unknown = leaf;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  assert.equal(problemsOf(deep).length, 1);
});

test('lists the paths it reads', () => {
  const { paths } = compiled([
    { field: 'age', operator: 'exists' },
    { field: 'customer.age', operator: 'exists' },
    { field: 'request.context.page', operator: 'exists' },
    { field: 'offer.metadata.customFields.x', operator: 'exists' },
  ]);
  assert.deepEqual(paths, [
    ['customer', 'age'],
    ['request', 'context', 'page'],
    ['offer', 'metadata', 'customFields', 'x'],
  ]);
});

test('namespaces and other vocabularies', () => {
  const options = { namespaces: new Set(['creative']), bareNames: 'none' } as const;
  assert.deepEqual(problemsOf({ field: 'creative.weight', operator: 'exists' }, options), []);
  assert.deepEqual(problemsOf({ field: 'weight', operator: 'exists' }, options), ['/field']);
  assert.deepEqual(problemsOf({ field: 'offer.name', operator: 'exists' }, options), ['/field']);
  assert.deepEqual(problemsOf({ field: 'creative.weight', operator: 'exists' }), ['/field']);
  const checkField = (field: string) => (field === 'alias.column' ? null : 'is no column');
  assert.equal(parseCondition({ field: 'alias.column', operator: 'exists' }, { checkField }).ok, true);
  assert.equal(parseCondition({ field: 'age', operator: 'exists' }, { checkField }).ok, false);
});

test('reads the list form of flow nodes', () => {
  const scope = Object.assign(emptyScope(), { customer: { code: 'AB12', age: 5 }, creative: { weight: 3 } });
  const code = { field: 'customer.code', operator: 'regex', value: '^[A-Z]+\\d+$' };
  const young = { field: 'age', operator: 'lt', value: 3 };
  const run = (conditions: unknown, combinator?: 'AND' | 'OR') => {
    const result = compileConditionList(conditions, combinator);
    return result.ok ? result.condition.test(scope) : result.problems.map(({ path }) => path);
  };
  assert.equal(run([]), true);
  assert.equal(run(undefined), true);
  assert.equal(run([code]), true);
  assert.equal(run([code, young]), false);
  assert.equal(run([code, young], 'OR'), true);
  assert.equal(run([young], 'OR'), false);
  assert.equal(run([], 'OR'), true);
  assert.equal(run([{ field: 'creative.weight', operator: 'is_not_null' }]), true);
  assert.deepEqual(run([{ field: 'age', operator: 'between', value: [1, 2] }]), ['/0/operator']);
  assert.deepEqual(run([{ field: 'age', operator: 'regex', value: '(a)\\1' }]), ['/0/value']);
  assert.deepEqual(run([{ field: 'placement.key', operator: 'exists' }]), ['/0/field']);
  assert.deepEqual(run([leaf, 'x', [leaf]]), ['/1', '/2']);
  assert.deepEqual(run('x'), ['']);
  assert.deepEqual(run(Array(51).fill(leaf)), ['']);
});

test('reads own properties only', () => {
  const scope: FormulaScope = Object.assign(emptyScope(), { customer: { list: [1], text: 'abc', deep: { x: 1 } } });
  for (const field of ['constructor', '__proto__', 'toString', 'customer.list.length', 'customer.text.length']) {
    assert.equal(compiled({ field, operator: 'exists' }).test(scope), false, field);
    const reader = compileField(field);
    assert.equal(reader.ok && reader.read(scope), undefined, field);
  }
  const reader = compileField('customer.deep.x');
  assert.equal(reader.ok && reader.read(scope), 1);
  assert.equal(compileField('a..b').ok, false);
});

test('compares with a value known only at run time', () => {
  assert.equal(testOperator('gt', 3, 2, NOW), true);
  assert.equal(testOperator('neq', 3, undefined, NOW), false);
  assert.equal(testOperator('not_in', 3, null, NOW), false);
  assert.equal(testOperator('not_exists', undefined, undefined, NOW), true);
  assert.equal(testOperator('in', true, [true, 1], NOW), true);
});

const scalars = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom<unknown>(0.5, -0, 1e300, Number.NaN, null, undefined, true, false, {}, [], [1, 'a'], { a: 1 }),
  fc.constantFrom(
    '',
    'a',
    'A',
    'ab',
    '1',
    '1.0',
    '-1',
    '2026-11-20',
    '2026-11-20T00:00:00Z',
    '2026-11-19T23:00:00-01:00',
  ),
);
const operators = fc.constantFrom<Operator>(...CONDITION_OPERATORS, 'regex');

test('a missing value satisfies not_exists only; nothing throws', () => {
  fc.assert(
    fc.property(operators, scalars, scalars, (operator, actual, wanted) => {
      const holds = matcherOf(operator, wanted)(actual, NOW);
      assert.equal(typeof holds, 'boolean');
      if (actual === null || actual === undefined || Number.isNaN(actual)) {
        assert.equal(holds, operator === 'not_exists');
      }
    }),
    randomCases(5000),
  );
});

test('operators agree with each other', () => {
  const ask = (operator: Operator, actual: unknown, wanted: unknown) => matcherOf(operator, wanted)(actual, NOW);
  fc.assert(
    fc.property(scalars, scalars, scalars, (actual, a, b) => {
      if (!ask('exists', actual, null)) return;
      assert.equal(ask('neq', actual, a), !ask('eq', actual, a));
      assert.equal(ask('in', actual, [a, b]), ask('eq', actual, a) || ask('eq', actual, b));
      assert.equal(ask('not_in', actual, [a, b]), !ask('in', actual, [a, b]));
      assert.equal(ask('not_contains', actual, a), !ask('contains', actual, a));
      assert.equal(ask('between', actual, [a, b]), ask('gte', actual, a) && ask('lte', actual, b));
      const [lower, same, higher] = [ask('lt', actual, a), ask('eq', actual, a), ask('gt', actual, a)];
      assert.ok(Number(lower) + Number(same) + Number(higher) <= 1);
      if (ask('gte', actual, a)) assert.ok(higher || same);
      if (ask('lte', actual, a)) assert.ok(lower || same);
      if (typeof actual !== 'object') assert.equal(same, ask('eq', a, actual));
    }),
    randomCases(20_000),
  );
});

test('parsing never throws, and the stored form is stable', () => {
  const word = fc.constantFrom<unknown>('age', 'customer.x', 'eq', '=', 'in', 'exists', 'and', 'or', 1, null, [1], []);
  const keys = fc.constantFrom('field', 'operator', 'value', 'logic', 'conditions', 'all', 'any', 'x');
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.record({ field: fc.constant('age'), operator: fc.constant('lt'), value: fc.constantFrom(1, '2', true) }),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keys, tie('node'), { maxKeys: 4 }),
    ),
  }));
  const scope = Object.assign(emptyScope(), { customer: { age: 1 } });
  fc.assert(
    fc.property(node, (value) => {
      const result = compileCondition(value);
      if (!result.ok) {
        assert.ok(result.problems.length > 0);
        return;
      }
      const again = compiled(result.condition.stored);
      assert.deepEqual(again.stored, result.condition.stored);
      assert.equal(again.test(scope), result.condition.test(scope));
    }),
    randomCases(5000),
  );
});
