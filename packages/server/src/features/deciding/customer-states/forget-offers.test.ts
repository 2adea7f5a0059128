import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addContact, addOutcome, emptyState, laneOf } from './customer-state.ts';
import { decodeState, encodeState } from './customer-state-codec.ts';
import { forgetOffers } from './forget-offers.ts';

const id = (number: number): string => `0193b0a0-0000-7000-8000-00000000000${number}`;
const lane = (number: number) => ({ offerId: id(number), creativeId: null, channelId: id(9), campaignId: null });

test('removing an offer leaves the state of a customer who never saw it', () => {
  const both = emptyState();
  const own = emptyState();
  for (const at of [1_000, 2_000, 3_000]) {
    addContact(both, laneOf(both, lane(1)), at);
    addContact(both, laneOf(both, lane(2)), at + 1);
    addContact(own, laneOf(own, lane(2)), at + 1);
  }
  addOutcome(both, 'click', laneOf(both, lane(1)), 4_000);
  for (const state of [both, own]) addOutcome(state, 'dismiss', laneOf(state, lane(2)), 5_000);
  forgetOffers(both, new Set([id(1)]));
  assert.deepEqual(both, own);
  const { state, base } = encodeState(both);
  assert.deepEqual(decodeState(state, base ?? null), decodeState(encodeState(own).state, null));
});

test('keeps open reservations', () => {
  const state = emptyState();
  addContact(state, laneOf(state, lane(1)), 1_000);
  state.reservations.push({ id: id(5), lane: 0, at: 2_000, expiresAt: 9_000 });
  forgetOffers(state, new Set([id(1)]));
  assert.deepEqual(state.log, []);
  assert.deepEqual(state.totals, [0]);
  assert.deepEqual(state.reservations, [{ id: id(5), lane: 0, at: 2_000, expiresAt: 9_000 }]);
});
