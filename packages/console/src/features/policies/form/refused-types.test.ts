import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefused, refusedTypes } from './refused-types.ts';

test('names the types whose feature is off', () => {
  const types = (enableBudgets: boolean, enableBehavioralMetrics: boolean) =>
    refusedTypes({ authenticated: true, settings: { enableBudgets, enableBehavioralMetrics } });
  assert.deepEqual(types(true, true), []);
  const refused = types(false, false);
  assert.deepEqual(refused, ['budget_exhausted', 'metric_condition']);
  assert.equal(isRefused('metric_condition', refused), true);
  assert.equal(isRefused('cooldown', refused), false);
  assert.equal(isRefused(undefined, refused), false);
});
