import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageCandidates, type StageOfDecision } from './stage-funnel.rules.ts';

const stage = (name: string, candidates: number, passed: number): StageOfDecision => ({
  stage: name,
  candidates,
  passed,
});

test('a decision that ended early counts as 0 at the later stages', () => {
  const long = [stage('inventory', 10, 8), stage('score', 8, 8), stage('rank', 8, 2)];
  const ended = [stage('inventory', 2, 0)];
  assert.deepEqual(averageCandidates([long, ended], ['inventory', 'score', 'rank']), [6, 4, 4]);
});

test('a flow without the stage carries its candidates past it', () => {
  const few = [stage('score', 4, 4), stage('rank', 4, 1)];
  const many = [stage('score', 12, 12), stage('admission', 12, 6), stage('rank', 6, 1)];
  assert.deepEqual(averageCandidates([few, many], ['score', 'admission', 'rank']), [8, 8, 5]);
});

test('candidates of a called flow that join later count from the start', () => {
  const merged = [stage('inventory', 3, 3), stage('call_flow:cards', 3, 7), stage('rank', 7, 1)];
  assert.deepEqual(averageCandidates([merged], ['inventory', 'call_flow:cards', 'rank']), [7, 7, 7]);
});

test('without decisions every stage is 0', () => {
  assert.deepEqual(averageCandidates([], ['inventory']), [0]);
});

/** Numbers from 0 to below `below`, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('no stage exceeds the one before it, in any mix of flows, calls and early ends', () => {
  const names = ['inventory', 'qualify', 'call_flow:a/score', 'score', 'admission', 'rank', 'limit'];
  for (let seed = 1; seed <= 500; seed += 1) {
    const below = numbers(seed);
    const decisions = Array.from({ length: 1 + below(8) }, () => {
      const own = names.filter(() => below(3) > 0);
      return own.slice(0, 1 + below(own.length + 1)).map((name) => stage(name, below(20), below(20)));
    });
    const averages = averageCandidates(decisions, names);
    for (const [at, average] of averages.entries()) {
      assert.ok(average <= (averages[at - 1] ?? Infinity) + 1e-9, `seed ${seed}: ${averages.join(' ')}`);
    }
    assert.ok(averages.every((average) => average >= 0));
  }
});
