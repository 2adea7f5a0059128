import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharesOf } from './weights.ts';

test('shares of weights add up to one, heaviest first, and weights of 0 have none', () => {
  assert.deepEqual(sharesOf({ margin: 0.5, propensity: 1.5, revenue: 0 }), [
    { key: 'propensity', weight: 1.5, share: 0.75 },
    { key: 'margin', weight: 0.5, share: 0.25 },
  ]);
  assert.deepEqual(sharesOf({}), []);
  assert.deepEqual(sharesOf(null), []);
});
