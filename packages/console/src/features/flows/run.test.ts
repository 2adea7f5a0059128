import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRun } from './run.ts';

const stage = (name: string, nodeId: string | null, candidates: number, passed: number, more: object = {}) => ({
  stage: name,
  nodeId,
  candidates,
  passed,
  topScore: null,
  method: null,
  dropped: {},
  warnings: [],
  durationMs: 1,
  ...more,
});

const answer = {
  decisions: [{ offerId: 'o1', offerName: 'Drink', score: 0.24 }],
  meta: {
    stages: [
      stage('inventory', 'inventory', 12, 12),
      stage('qualify', 'q', 12, 9, { dropped: { rule_error: 1, qualification: 2 } }),
      stage('suppression', null, 9, 8),
      stage('score', 's', 8, 8, { topScore: 0.24 }),
      stage('call_flow:save/qualify', 'q', 8, 1),
    ],
    dropped: [{ offerId: 'o2', offerName: 'Latte', stage: 'qualify', nodeId: 'q', reason: 'qualification' }],
    hint: 'no active channel has the type Email',
  },
};

test('counts by node of the flow, with the most frequent reasons first', () => {
  const { byNode, between } = readRun(answer);
  assert.deepEqual(byNode.get('q')?.dropped, [
    ['qualification', 2],
    ['rule_error', 1],
  ]);
  assert.equal(byNode.get('q')?.passed, 9);
  assert.equal(byNode.get('s')?.topScore, 0.24);
  assert.deepEqual(between, [{ stage: 'suppression', entered: 9, passed: 8 }]);
});

test('names the node that dropped an offer, and the offers shown', () => {
  const run = readRun(answer);
  assert.deepEqual(run.dropped, [
    { offerId: 'o2', name: 'Latte', nodeId: 'q', stage: 'qualify', reason: 'qualification' },
  ]);
  assert.deepEqual(run.shown, [{ offerId: 'o1', name: 'Drink', score: 0.24 }]);
  assert.equal(run.hint, 'no active channel has the type Email');
});

test('has no nodes for a response without meta', () => {
  const run = readRun({ decisions: [] });
  assert.equal(run.byNode.size, 0);
  assert.equal(run.hint, null);
});
