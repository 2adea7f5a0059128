import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BlockedOffer, blockingOf } from './blocking.ts';

const offer = (offerId: string, qualificationPassed: boolean, ...policies: readonly string[]): BlockedOffer => ({
  ...{ offerId, offerName: offerId, qualificationPassed, scheduleBlocked: false, creativeCount: 1 },
  policies: policies.map((policyId) => ({ policyId, policyName: policyId })),
});

test('counts the offers of each policy, and names one that nothing else holds back', () => {
  const offers = [
    offer('a', false, 'cap'),
    offer('b', true, 'cap', 'pause'),
    offer('c', true, 'cap'),
    offer('d', true),
  ];
  assert.deepEqual(
    blockingOf({ offers }).map(({ id, offers: count, offer: { id: example } }) => [id, count, example]),
    [
      ['cap', 3, 'c'],
      ['pause', 1, 'b'],
    ],
  );
  assert.deepEqual(blockingOf({ offers: [] }), []);
});
