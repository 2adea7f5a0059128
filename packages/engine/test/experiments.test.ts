import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, compile, type DecisionInput, decide, h32, resultOf } from '../src/index.ts';
import { readCase } from './conformance/case.ts';
import { chiSquareOf, onceInAMillion } from './test-chi-square.ts';

const scorecard = (key: string, baseScore: number) => ({
  key,
  modelType: 'scorecard',
  config: { baseScore, normalization: 'linear' },
});
const nodes = (modelKey: string) => [
  { id: 'i', type: 'inventory' },
  { id: 'm', type: 'match_creatives' },
  { id: 's', type: 'score', config: { method: 'propensity', modelKey } },
];
const share = (key: string, champion: string) => ({
  key,
  isRunning: true,
  champion,
  championPct: 55.5,
  challengers: [
    { model: 'two', trafficPct: 20 },
    { model: 'three', trafficPct: 14.5 },
  ],
  holdoutPct: 10,
});

const world = readCase({
  name: 'shares',
  nodes: nodes('one'),
  models: [scorecard('one', 30), scorecard('two', 70), scorecard('three', 40), scorecard('four', 60)],
  experiments: [share('exp-1', 'one'), share('exp-4', 'four')],
  expect: {},
});
const plan = compile(world.snapshot);
const usual = world.input(plan);
const inputFor = (customerId: string, experiments?: DecisionInput['experiments']): DecisionInput => ({
  ...usual,
  request: { ...usual.request, customerId },
  ...(experiments === undefined ? {} : { experiments }),
});

test('10,000 assignments match the hash and their shares', () => {
  const variants = ['__champion__', 'two', 'three', '__holdout__'];
  const shares = [0.555, 0.2, 0.145, 0.1];
  const chances = new Map(variants.map((variant, at) => [variant, shares[at]!]));
  const counts = new Map<string, number>();
  for (let at = 0; at < 10_000; at++) {
    const customerId = `C${at}`;
    const x = (h32(`exp-1:${customerId}`) / 2 ** 32) * 100;
    const expected = x < 55.5 ? 0 : x < 75.5 ? 1 : x < 90 ? 2 : 3;
    const { experiments, controlGroup, items } = decide(plan, inputFor(customerId));
    const variant = variants[expected]!;
    assert.deepEqual(experiments, [{ id: 'exp-1', key: 'exp-1', variant, share: shares[expected] }], customerId);
    assert.equal(controlGroup, expected === 3);
    assert.equal(items[0]?.modelKey, ['one', 'two', 'three', null][expected]);
    counts.set(variant, (counts.get(variant) ?? 0) + 1);
  }
  const { statistic, freedom } = chiSquareOf(counts, chances, 10_000);
  assert.ok(statistic < onceInAMillion(freedom), JSON.stringify([...counts]));
});

test('a decision repeats with the assignment that it made', () => {
  for (let at = 0; at < 200; at++) {
    const first = decide(plan, inputFor(`C${at}`));
    const { key, ...assigned } = first.experiments![0]!;
    const again = decide(plan, inputFor(`C${at}`, { [key]: assigned }));
    assert.equal(canonicalJson(resultOf(again)), canonicalJson(resultOf(first)));
    assert.deepEqual(again.experiments, first.experiments);
  }
});

const calling = readCase({
  name: 'called',
  nodes: [...nodes('one'), { id: 'call', type: 'call_flow', config: { flowKey: 'inner', mode: 'replace' } }],
  subFlows: [{ key: 'inner', nodes: nodes('four') }],
  models: [scorecard('one', 30), scorecard('two', 70), scorecard('three', 40), scorecard('four', 60)],
  experiments: [share('exp-1', 'one'), share('exp-4', 'four')],
  expect: {},
});

test('reports the experiment of a called flow, whose holdout asks no model', () => {
  const callingPlan = compile(calling.snapshot);
  const base = calling.input(callingPlan);
  const seen = new Set<string>();
  for (let at = 0; at < 400; at++) {
    const request = { ...base.request, customerId: `C${at}` };
    const { experiments, assignment, items, controlGroup } = decide(callingPlan, { ...base, request }, { trace: true });
    const called = assignment.called?.[0];
    if (controlGroup) {
      assert.deepEqual([experiments?.map(({ key }) => key), called], [['exp-1'], undefined]);
      continue;
    }
    assert.deepEqual(
      experiments?.map(({ key }) => key),
      ['exp-1', 'exp-4'],
    );
    assert.deepEqual(called, {
      flowKey: 'inner',
      nodeId: called?.nodeId,
      variant: experiments?.[1]?.variant,
      share: experiments?.[1]?.share,
      experimentKey: 'exp-4',
    });
    if (called?.variant === '__holdout__') assert.deepEqual([items[0]?.modelKey, items[0]?.score], [null, 0.5]);
    else assert.equal(items[0]?.modelKey, called?.variant === '__champion__' ? 'four' : called?.variant);
    seen.add(called?.variant ?? '');
  }
  assert.deepEqual([...seen].sort(), ['__champion__', '__holdout__', 'three', 'two']);
});
