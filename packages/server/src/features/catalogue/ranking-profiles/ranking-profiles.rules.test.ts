import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRank } from './ranking-profiles.rules.ts';

test('weights rank if at least one is above 0', () => {
  assert.equal(canRank({}), false);
  assert.equal(canRank({ margin: 0, fairness: 0 }), false);
  assert.equal(canRank({ margin: 0, fairness: 0.01 }), true);
});
