import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isComplete, maxSteps, stepsOf } from './segment-steps.ts';

const leaf = (value: unknown, operator = 'gte') => ({ field: 'age', operator, value });

test('counts each condition with those before it, at most eight', () => {
  const conditions = Array.from({ length: 12 }, (_, at) => leaf(at));
  const steps = stepsOf({ filters: { logic: 'and', conditions } });
  assert.equal(steps.length, maxSteps);
  assert.deepEqual(steps[1]?.part, leaf(1));
  assert.deepEqual(steps[1]?.definition.filters, { logic: 'and', conditions: [leaf(0), leaf(1)] });
});

test('adds a join with the first condition that tests it, or in the first step if none does', () => {
  const joins = [{ alias: 'orders' }, { alias: 'visits' }];
  const onOrders = { logic: 'or', conditions: [{ field: 'orders.amount', operator: 'gte', value: 8 }] };
  const steps = stepsOf({ joins, filters: { logic: 'and', conditions: [leaf(1), onOrders] } });
  assert.deepEqual(
    steps.map(({ definition }) => definition.joins),
    [[{ alias: 'visits' }], joins],
  );
});

test('has no steps for alternatives or a single condition', () => {
  assert.deepEqual(stepsOf({ filters: { logic: 'or', conditions: [leaf(1), leaf(2)] } }), []);
  assert.deepEqual(stepsOf({ filters: { logic: 'and', conditions: [leaf(1)] } }), []);
  assert.deepEqual(stepsOf({ filters: null }), []);
});

test('an empty value is incomplete, including in groups, except for operators without a value', () => {
  assert.equal(isComplete({ logic: 'and', conditions: [leaf(1), { logic: 'or', conditions: [leaf('')] }] }), false);
  assert.equal(isComplete(leaf([], 'in')), false);
  assert.equal(isComplete({ field: 'age', operator: 'exists' }), true);
  assert.equal(isComplete(leaf(0)), true);
  assert.equal(isComplete(undefined), true);
});
