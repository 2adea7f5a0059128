import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, nodeShapes, policyShapes, ruleShapes, type Snapshot } from '@arbiter/engine';
import { inTurn } from '../../../../test/form.ts';
import { chanceOf, randomWorld, utcClock } from '../../../engine/src/why-not/test-world.ts';
import { checkCatalogue } from './check.ts';
import { policyReadings } from './policy-gates.ts';
import { ruleReadings } from './rule-gates.ts';
import type { CheckInput } from './subject.ts';
import { nodeReadings } from './ways.ts';

const now = Date.UTC(2026, 2, 10, 12);

function check(snapshot: Snapshot, more: Partial<CheckInput> = {}) {
  return checkCatalogue({ snapshot, plan: compile(snapshot), now, clockAt: utcClock, ...more });
}

test('names every node, rule and policy type of the engine', () => {
  assert.deepEqual(Object.keys(nodeReadings).toSorted(), Object.keys(nodeShapes).toSorted());
  assert.deepEqual(Object.keys(ruleReadings).toSorted(), Object.keys(ruleShapes).toSorted());
  assert.deepEqual(Object.keys(policyReadings).toSorted(), Object.keys(policyShapes).toSorted());
});

const long = process.env.TEST_FORM === 'long';

test('never says "never" of an offer that a customer gets, in random catalogues', inTurn('never', 2), () => {
  const count = { never: 0, shown: 0, unknown: 0 };
  for (let seed = 1; seed <= (long ? 1000 : 60); seed++) {
    const { snapshot } = randomWorld(chanceOf(seed));
    const { contradictions, findings, coverage } = check(snapshot);
    assert.equal(contradictions, 0, `seed ${seed}`);
    count.unknown += coverage.unknown;
    count.never += new Set(
      findings
        .filter(({ severity, subject }) => severity === 'error' && subject.type === 'offer')
        .map(({ subject }) => subject.id),
    ).size;
    count.shown += coverage.proved;
  }
  assert.ok(count.never > 20 && count.shown > 5 * count.unknown, JSON.stringify(count));
});
