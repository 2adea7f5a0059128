import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canDecide, isDone, nextStep, type StartState } from './start-state.ts';

const nothing: StartState = {
  ...{ customers: null, offer: null, creative: null, limit: null, flow: null, decision: false },
};
const one = { id: '1', name: 'One' };
const customers = { id: '1', displayName: 'Bank', autoEnrich: true };

test('opens the first pending step', () => {
  assert.equal(nextStep(nothing), 'customers');
  assert.equal(nextStep({ ...nothing, customers }), 'offer');
  assert.equal(nextStep({ ...nothing, offer: one }), 'customers');
  assert.equal(nextStep({ ...nothing, customers, offer: one, creative: one, limit: one, flow: one }), 'decision');
  assert.equal(nextStep({ customers, offer: one, creative: one, limit: one, flow: one, decision: true }), null);
});

test('decisions require customers, an offer, a creative and a flow, but no limit', () => {
  const ready = { ...nothing, customers, offer: one, creative: one, flow: one };
  assert.equal(canDecide(ready), true);
  for (const step of ['customers', 'offer', 'creative', 'flow'] as const)
    assert.equal(canDecide({ ...ready, [step]: null }), false, step);
  assert.equal(isDone(ready, 'decision'), false);
});
