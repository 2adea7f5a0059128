import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange, emptyEvidence, evidenceView } from './evidence.ts';

const change = (number: number, offerId: string) => ({
  number,
  offerId,
  categoryId: 'k',
  channelId: null,
  positives: 1,
  negatives: 0,
});

test('a pair stays valid until pairsOf changes', () => {
  const state = emptyEvidence();
  const view = evidenceView(state);
  const before = view.pairsOf;
  const none = view.offer('a');
  applyChange(state, change(1, 'a'));
  assert.notEqual(view.pairsOf, before, 'the pair of an offer without evidence is no longer its own');
  assert.deepEqual(none, [0, 0]);
  const first = view.pairsOf;
  const pair = view.offer('a');
  applyChange(state, change(2, 'a'));
  assert.equal(view.pairsOf, first);
  assert.equal(view.offer('a'), pair);
  assert.deepEqual(pair, [2, 0]);
  applyChange(state, change(3, 'b'));
  assert.notEqual(view.pairsOf, first);
});
