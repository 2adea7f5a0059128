import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalsOf } from './refusals.ts';

const drop = (stage: string, policyId: string | null) => ({ stage, policyId, ruleId: null, offerId: 'o', detail: {} });

test('counts the offers blocked by each policy, most first', () => {
  const dropped = [
    drop('qualify', null),
    drop('contact_policy', 'quiet hours'),
    drop('contact_policy', 'cooldown'),
    drop('contact_policy', 'cooldown'),
    // What the items before it in the same answer used up says nothing of the customer.
    drop('admission', 'three a day'),
  ];
  assert.deepEqual(refusalsOf({ dropped }), [
    { policyId: 'cooldown', offers: 2 },
    { policyId: 'quiet hours', offers: 1 },
  ]);
});

test('returns nothing without data from the server', () => {
  for (const meta of [undefined, null, {}, { dropped: {} }, { dropped: [null, 'x', { stage: 'contact_policy' }] }])
    assert.deepEqual(refusalsOf(meta), []);
});
