import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairwiseSum } from '../pairwise-sum.ts';
import { type DiffAnswer, type DiffItem, kindOf } from './answers.ts';
import { figuresOf } from './figures.ts';
import { type DiffTotals, type JudgedDecision, mergeTotals, newDiffTally } from './tally.ts';
import { bucketOf, quantileOf } from './times.ts';

const item = (offerId: string, more: Partial<DiffItem> = {}): DiffItem => ({
  ...{ offerId, creativeId: `${offerId}-c`, channelId: 'web', placementId: null, mandatory: false },
  ...{ score: 1, propensity: 0.1, impact: 2 },
  ...more,
});
const answer = (items: readonly DiffItem[], more: Partial<DiffAnswer> = {}): DiffAnswer => ({
  items,
  emptyReason: items.length === 0 ? 'qualify' : null,
  properties: '{}',
  ...more,
});
const of = (...names: string[]): DiffAnswer => answer(names.map((name) => item(name)));

test('distinguishes the kinds of changes', () => {
  const kinds: [DiffAnswer, DiffAnswer, string][] = [
    [of('a', 'b'), of('a', 'b'), 'same'],
    [of(), answer([], { emptyReason: 'score' }), 'same'],
    [of('a', 'b'), of('b', 'a'), 'reordered'],
    [of('a'), answer([item('a', { creativeId: 'other' })]), 'creative_only'],
    [of('a'), answer([item('a', { mandatory: true })]), 'creative_only'],
    [of('a'), answer([item('a')], { properties: '{"x":1}' }), 'creative_only'],
    [of('a'), of('a', 'b'), 'gained'],
    [of('a', 'b'), of('b'), 'lost'],
    [of('a', 'b'), of('a', 'c'), 'replaced'],
    [of('a', 'a'), of('a'), 'lost'],
    [of('a'), of(), 'newly_empty'],
    [of(), of('a'), 'newly_served'],
  ];
  for (const [before, after, kind] of kinds) assert.equal(kindOf(before, after), kind);
});

const order = (id: string): number => Number(id.slice(1));
let number = 0;
const judged = (customer: string, before: DiffAnswer, after: DiffAnswer): JudgedDecision => ({
  ...{ decisionId: `d${number++}`, customer, segments: ['s1'], before, after, reason: 'qualification' },
});

function totalsOf(decisions: readonly JudgedDecision[]): DiffTotals {
  const tally = newDiffTally(order);
  for (const one of decisions) tally.add(one);
  return tally.totals();
}

const customers = Array.from({ length: 12 }, (_, at) => `C${at}`);

test('blanks counts of fewer than ten customers', () => {
  const totals = totalsOf([
    ...customers.map((customer) => judged(customer, of('a'), of('b'))),
    ...customers.slice(0, 9).map((customer) => judged(`${customer}x`, of('c'), of())),
  ]);
  const { gained, lost, moved, newlyEmpty, bySegment, byKind } = figuresOf(totals, {}, 0.05);
  assert.deepEqual(gained, [{ offerId: 'b', count: 12, customers: 12 }]);
  assert.deepEqual(lost, [
    { offerId: 'a', count: 12, customers: 12 },
    { offerId: 'c', count: null, customers: null },
  ]);
  assert.deepEqual(moved, [{ from: 'a', to: 'b', count: 12 }]);
  assert.deepEqual(newlyEmpty, [{ stage: 'qualify', reason: 'qualification', count: null }]);
  assert.deepEqual(bySegment, [{ segmentId: 's1', decisions: 21, changed: 21, itemsBefore: 21, itemsAfter: 12 }]);
  assert.deepEqual([byKind.replaced, byKind.newly_empty], [12, 9]);
});

test('chunks of whole customers add up to all customers', () => {
  const decisions = customers.flatMap((customer, at) => [
    judged(customer, of('a', 'b'), at % 2 === 0 ? of('b') : of('a', 'b')),
    judged(customer, of('a'), of('a', 'c')),
  ]);
  const whole = totalsOf(decisions);
  const parts = [decisions.slice(0, 6), decisions.slice(6, 14), decisions.slice(14)].map(totalsOf);
  const merged = mergeTotals(parts, order);
  const { expected: _one, ...rest } = merged;
  const { expected: _other, ...wanted } = whole;
  assert.deepEqual(rest, wanted);
  assert.ok(Math.abs(merged.expected.value.before - whole.expected.value.before) < 1e-12);
  assert.equal(JSON.stringify(mergeTotals(parts, order)), JSON.stringify(merged));
  assert.deepEqual(
    merged.samples.map(({ decisionId }) => decisionId),
    whole.samples.map(({ decisionId }) => decisionId),
  );
});

test('checks limits against the real counts, and fails one without data', () => {
  const totals = totalsOf(customers.slice(0, 4).flatMap((customer) => [judged(customer, of('a', 'b'), of('a'))]));
  const limits = {
    maxChangedShare: 0.5,
    maxNewlyEmptyShare: 0,
    maxLostShare: 0.9,
    maxItemsDrop: 0.5,
    mustKeep: ['a', 'b', 'z'],
  };
  assert.deepEqual(
    figuresOf(totals, limits, 0.05).limits.map(({ name, offerId, value, passed }) => [name, offerId, value, passed]),
    [
      ['maxChangedShare', null, 1, false],
      ['maxNewlyEmptyShare', null, 0, true],
      ['maxLostShare', 'b', 1, false],
      ['maxItemsDrop', null, 0.5, true],
      ['mustKeep', 'a', 0, true],
      ['mustKeep', 'b', 4, false],
      ['mustKeep', 'z', null, false],
    ],
  );
  const none = figuresOf(newDiffTally(order).totals(), { maxChangedShare: 1 }, 0.05);
  assert.deepEqual([none.reasons, none.limits[0]?.passed], [['no_decisions'], false]);
});

test('refuses when too much is left out or not reproduced', () => {
  const tally = newDiffTally(order);
  for (let at = 0; at < 95; at += 1) tally.add(judged(`C${at}`, of('a'), of('a')));
  for (let at = 0; at < 5; at += 1) tally.exclude('erased');
  assert.deepEqual(figuresOf(tally.totals(), {}, 0.05).reasons, []);
  tally.exclude('input_not_recorded', ['customer.age']);
  assert.deepEqual(figuresOf(tally.totals(), {}, 0.05).reasons, ['selection']);
  assert.deepEqual(tally.totals().lacking, ['customer.age']);
  for (let at = 0; at < 100; at += 1) tally.repeated(at > 0);
  assert.deepEqual(figuresOf(tally.totals(), {}, 0.2).reasons, ['engine_drift']);
});

test('counts gates that drop more or fewer, by policy too', () => {
  const tally = newDiffTally(order);
  for (const customer of customers) {
    tally.add(judged(customer, of('a'), of('b')));
    tally.gate(customer, ['contact_policy', 'contact_policy', 'n', '', 'p'], [1, 3, 1]);
    tally.gate(customer, ['rank', 'cut', '', '', ''], [2, 2, 0]);
  }
  const { gates, capsHit } = figuresOf(tally.totals(), {}, 0.05);
  assert.deepEqual(
    gates.map(({ stage, droppedBefore, droppedAfter }) => [stage, droppedBefore, droppedAfter]),
    [['contact_policy', 12, 36]],
  );
  assert.deepEqual(capsHit, [{ policyId: 'p', before: 12, after: 36, blockedContacts: 12 }]);
});

test('sums by halves, and reads quantiles of counted times', () => {
  const values = Array.from({ length: 1000 }, (_, at) => 0.1 + (at % 7) / 3);
  assert.equal(pairwiseSum(values), pairwiseSum(Float64Array.from(values)));
  assert.ok(Math.abs(pairwiseSum(new Array(1e6).fill(0.1)) - 1e5) < 1e-9);
  assert.deepEqual([quantileOf({}, 0.5), pairwiseSum([])], [null, 0]);
  const times: Record<string, number> = {};
  for (let us = 1; us <= 1000; us += 1) times[bucketOf(us)] = (times[bucketOf(us)] ?? 0) + 1;
  assert.ok(Math.abs((quantileOf(times, 0.5) ?? 0) / 500 - 1) < 0.1);
  assert.ok(Math.abs((quantileOf(times, 0.99) ?? 0) / 990 - 1) < 0.1);
});
