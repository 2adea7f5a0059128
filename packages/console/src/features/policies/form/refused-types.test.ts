import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import { isRefused, refusedTypes } from './refused-types.ts';

const bootWith = (settings: object) => ({ authenticated: true, settings }) as unknown as ConsoleBoot;

test('names the types whose feature is off', () => {
  assert.deepEqual(refusedTypes(bootWith({ enableBudgets: true, enableBehavioralMetrics: true })), []);
  const refused = refusedTypes(bootWith({ enableBudgets: false, enableBehavioralMetrics: false }));
  assert.deepEqual(refused, ['budget_exhausted', 'metric_condition']);
  assert.equal(isRefused('metric_condition', refused), true);
  assert.equal(isRefused('cooldown', refused), false);
  assert.equal(isRefused(undefined, refused), false);
});
