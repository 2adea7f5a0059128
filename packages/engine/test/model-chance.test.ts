import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from '../../../test/form.ts';
import { compile, type Decision, decide, type Json, scoreOffers } from '../src/index.ts';
import { type CaseSource, readCase } from './conformance/case.ts';
import { chiSquareOf, onceInAMillion } from './test-chi-square.ts';

function made(source: Omit<CaseSource, 'name' | 'expect'>) {
  const read = readCase(JSON.parse(JSON.stringify({ ...source, name: 'test', expect: {} })));
  const plan = compile(read.snapshot);
  return { plan, input: read.input(plan) };
}

const nodes = (score: Record<string, Json>, rank: Record<string, Json> = {}): NonNullable<CaseSource['nodes']> => [
  { id: 'inventory', type: 'inventory' },
  { id: 'creatives', type: 'match_creatives' },
  { id: 'score', type: 'score', config: { method: 'propensity', modelKey: 'm', ...score } },
  { id: 'rank', type: 'rank', config: rank },
];
const offers = ['A', 'B', 'C', 'D'].map((id) => ({ id, categoryId: id < 'C' ? 'x' : 'y' }));
const categories = ['x', 'y'].map((id) => ({ id, name: id }));

const bandits: Readonly<Record<string, Json>> = {
  epsilon_greedy: {
    arms: Object.fromEntries(offers.map(({ id }, at) => [id, { totalReward: 9 - 2 * at, pulls: 10 }])),
    epsilon: 0.4,
    decayRate: 0,
    totalPulls: 40,
  },
  thompson_bandit: {
    arms: {
      A: { alpha: 5, beta: 3 },
      B: { alpha: 3, beta: 3 },
      C: { alpha: 0.5, beta: 0.7 },
      D: { alpha: 1, beta: 4 },
    },
  },
};

const source = (modelType: string, more: Partial<CaseSource> = {}): Omit<CaseSource, 'name' | 'expect'> => ({
  models: [{ key: 'm', modelType }],
  modelStates: { m: bandits[modelType] ?? null },
  offers,
  categories,
  nodes: nodes({}),
  request: { limit: 2 },
  ...more,
});

const slateOf = ({ items }: Decision): string => items.map(({ offerId }) => offerId).join('');
const draws = process.env.TEST_FORM === 'long' ? 100_000 : 20_000;
const seedOf = (number: number): string => number.toString(16).padStart(32, '0');

test('epsilon_greedy: draws match the exact probabilities of slates, which sum to 1', () => {
  const { plan, input } = made(source('epsilon_greedy'));
  const counts = new Map<string, number>();
  const chances = new Map<string, number>();
  for (let number = 0; number < draws; number++) {
    const decision = decide(plan, { ...input, seed: seedOf(number) });
    const slate = slateOf(decision);
    counts.set(slate, (counts.get(slate) ?? 0) + 1);
    const known = chances.get(slate);
    if (known === undefined) {
      assert.ok(decision.items.every(({ selection }) => !selection.estimated));
      chances.set(slate, decision.slateProbability);
    } else assert.equal(known, decision.slateProbability, slate);
  }
  assert.equal(chances.size, 12);
  const total = [...chances.values()].reduce((sum, chance) => sum + chance, 0);
  assert.ok(Math.abs(total - 1) < 1e-12, `${total}`);
  const { statistic, freedom } = chiSquareOf(counts, chances, draws);
  assert.ok(statistic < onceInAMillion(freedom), `chi-square ${statistic} with ${freedom} degrees of freedom`);
});

test('thompson_bandit: draws match the estimates of decisions', inTurn('draws', 2), () => {
  const { plan, input } = made(source('thompson_bandit'));
  const model = { key: 'm', modelType: 'thompson_bandit', config: {}, predictors: [] };
  const rows = plan.program.offers.map(({ row }) => row);
  /** The two best by the scores that a decision with this seed draws. */
  const bestTwo = (seed: string): string => {
    const question = { attributes: {}, customer: {}, now: 0, seed };
    const answers = scoreOffers(model, bandits.thompson_bandit ?? null, rows, question);
    const scored = rows.map(({ id }, at) => ({ id, score: answers[at]?.score ?? 0 }));
    return scored
      .sort((x, y) => y.score - x.score)
      .slice(0, 2)
      .map(({ id }) => id)
      .join('');
  };
  const slates = new Map<string, number>();
  const firsts = new Map<string, number>();
  for (let number = 0; number < draws; number++) {
    const slate = bestTwo(seedOf(number));
    slates.set(slate, (slates.get(slate) ?? 0) + 1);
    firsts.set(slate[0]!, (firsts.get(slate[0]!) ?? 0) + 1);
  }
  // The estimate of one decision is rough, and shrunk toward the uniform by one for each remaining candidate. Compare
  // the means of many with the draws.
  const decisions = 600;
  const counted = new Map<string, { sum: number; hits: number; times: number }>();
  const add = (key: string, value: number, hits: number): void => {
    const known = counted.get(key) ?? { sum: 0, hits: 0, times: 0 };
    counted.set(key, { sum: known.sum + value * hits, hits: known.hits + hits, times: known.times + 1 });
  };
  for (let number = 0; number < decisions; number++) {
    const seed = seedOf(number);
    const decision = decide(plan, { ...input, seed });
    const slate = slateOf(decision);
    assert.equal(slate, bestTwo(seed), 'what is counted is what decisions draw');
    const [first, second] = decision.items.map(({ selection }) => selection);
    assert.deepEqual([first?.estimated, first?.draws, second?.estimated], [true, 1000, true]);
    const hits = first!.probability * 1004 - 1;
    add(slate[0]!, hits / 1000, 1000);
    if (hits > 0) add(slate, (second!.probability * (hits + 3) - 1) / hits, hits);
  }
  let compared = 0;
  for (const [key, { sum, hits, times }] of counted) {
    if (times < 15) continue;
    const of = key.length === 1 ? draws : firsts.get(key[0]!)!;
    const seen = (key.length === 1 ? firsts.get(key)! : slates.get(key)!) / of;
    const spread = 5 * Math.sqrt(seen * (1 - seen) * (1 / of + 1 / hits));
    assert.ok(Math.abs(sum / hits - seen) < spread, `${key}: ${sum / hits} estimated, ${seen} seen, ${times} times`);
    compared += 1;
  }
  assert.ok(compared >= 8, `${compared}`);
});

test("a bandit's estimates also hold under another rank method with exploration", inTurn('around', 2), () => {
  const more = {
    nodes: nodes({}, { method: 'diversity', lambda: 0.6 }),
    flowConfig: { explore: { rate: 0.2, poolSize: 3 } },
  };
  const { plan, input } = made({ ...source('epsilon_greedy', { ...more, request: { limit: 1 } }) });
  assert.ok(plan.program.explore !== null);
  const counts = new Map<string, number>();
  const sums = new Map<string, { sum: number; times: number }>();
  const decisions = 1500;
  for (let number = 0; number < decisions; number++) {
    const decision = decide(plan, { ...input, seed: seedOf(number) });
    const { offerId, selection } = decision.items[0]!;
    counts.set(offerId, (counts.get(offerId) ?? 0) + 1);
    const known = sums.get(offerId) ?? { sum: 0, times: 0 };
    sums.set(offerId, { sum: known.sum + (selection.probability * 1004 - 1) / 1000, times: known.times + 1 });
  }
  for (const [offerId, { sum, times }] of sums) {
    const seen = (counts.get(offerId) ?? 0) / decisions;
    const spread = 5 * Math.sqrt((seen * (1 - seen)) / decisions + 1 / (1000 * times));
    assert.ok(Math.abs(sum / times - seen) < spread, `${offerId}: ${sum / times} estimated, ${seen} seen`);
  }
});

test('a trace and the order of calls change nothing that a bandit draws', inTurn('a trace', 3), () => {
  const rules = [
    {
      id: 'r',
      ruleType: 'propensity_threshold',
      stage: 'match' as const,
      config: { minScore: 0.4 },
      scopes: [{ scope: 'category', scopeId: 'y' }],
    },
  ];
  for (const modelType of Object.keys(bandits)) {
    const { plan, input } = made(
      source(modelType, {
        rules,
        nodes: [...nodes({}).slice(0, 2), { id: 'q', type: 'qualify' }, ...nodes({}).slice(2)],
      }),
    );
    for (let number = 0; number < 200; number++) {
      const seeded = { ...input, seed: seedOf(number) };
      assert.deepEqual({ ...decide(plan, seeded, { trace: true }), trace: null }, decide(plan, seeded));
    }
  }
});
