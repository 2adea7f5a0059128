import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QualificationRow } from '../src/plan/trace.ts';
import { createTrace } from '../src/trace.ts';

const rule = (offer: number): QualificationRow => ({
  offerId: `offer ${offer}`,
  passed: true,
  reason: null,
  ruleId: 'rule',
  ruleName: 'Rule',
  ruleType: 'attribute_condition',
  stage: 'eligibility',
  status: 'passed',
  penalty: null,
  detail: null,
});
const drop = (offer: number) => ({
  offerId: `offer ${offer}`,
  offerName: 'Offer',
  stage: 'rank',
  nodeId: null,
  reason: 'cut',
  ruleId: null,
  policyId: null,
  detail: null,
});

test('cuts offer rows at 2,000, winners first, and dropped offers at 500', () => {
  for (const [rows, kept] of [
    [2000, 2000],
    [2001, 2000],
  ] as const) {
    const trace = createTrace();
    for (let offer = 0; offer < rows; offer += 1) trace.qualification(rule(offer));
    for (let offer = 0; offer < rows; offer += 1) trace.drop(drop(offer));
    const winner = `offer ${rows - 1}`;
    const { qualificationResults, dropped } = trace.build(new Set([winner]));
    assert.deepEqual([qualificationResults.length, dropped.length], [kept, 500]);
    const offers = qualificationResults.map((row) => (row as { offerId: string }).offerId);
    assert.deepEqual([offers[0], offers[1]], [winner, 'offer 0']);
    assert.equal(offers.at(-1), `offer ${kept - 2}`);
  }
  const few = createTrace();
  for (let offer = 0; offer < 500; offer += 1) few.drop(drop(offer));
  assert.equal(few.build(new Set()).dropped.length, 500);
});
