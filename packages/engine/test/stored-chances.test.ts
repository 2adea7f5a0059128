import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, sized } from '../../../test/form.ts';
import { strategyNames } from '../src/delivery/explore-exploit.ts';
import { rankMethods } from '../src/delivery/rank-methods.ts';
import { compile, type Decision, type DecisionInput, decide, type Json, type Plan } from '../src/index.ts';
import { modelKinds } from '../src/models/model-kinds.ts';
import { type CaseSource, readCase } from './conformance/case.ts';
import { chiSquareOf, onceInAMillion } from './test-chi-square.ts';

// Whatever draws, draws as often as it stores: every exploration method and every model that draws, against the chances
// in its decisions. A new method or model has no case here, and fails the first test.

const total = sized('STORED_CHANCES', { short: 8_000, long: 100_000 });
/** Decisions whose estimates are averaged. Each repeats its draw a thousand times. */
const estimates = sized('STORED_ESTIMATES', { short: 150, long: 1_000 });

type Source = Partial<CaseSource>;
const offers = ['A', 'B', 'C', 'D'].map((id, at) => ({
  id,
  priority: 90 - 15 * at,
  categoryId: at % 2 === 0 ? 'x' : 'y',
}));

const nodes = (score: Record<string, Json>, rank: Record<string, Json>): NonNullable<CaseSource['nodes']> => [
  { id: 'inventory', type: 'inventory' },
  { id: 'creatives', type: 'match_creatives' },
  { id: 'score', type: 'score', config: score },
  { id: 'rank', type: 'rank', config: rank },
];
const byPriority = { method: 'priority_weighted' };
const byEvidence = { method: 'propensity', evidence: { offerMin: 1 } };
const explore = { explore: { rate: 0.2, poolSize: 3 } };
const around = (method: string): Source => ({ nodes: nodes(byPriority, { method }), flowConfig: explore });
const strategy = (name: string, more: Record<string, Json> = {}, score: Record<string, Json> = byPriority): Source => ({
  nodes: nodes(score, { method: 'explore_exploit', strategy: name, ...more }),
  evidence: { offers: { A: [9, 11], B: [2, 3], C: [4, 60], D: [0, 0] } },
});
const model = (modelType: string, state: Json, rank: Record<string, Json> = {}, more: Source = {}): Source => ({
  nodes: nodes({ method: 'propensity', modelKey: 'm' }, rank),
  models: [{ key: 'm', modelType }],
  modelStates: { m: state },
  ...more,
});
const greedyArms = {
  arms: Object.fromEntries(offers.map(({ id }, at) => [id, { totalReward: 9 - 2 * at, pulls: 10 }])),
  ...{ epsilon: 0.4, decayRate: 0, totalPulls: 40 },
};
const betaArms = {
  arms: { A: { alpha: 5, beta: 3 }, B: { alpha: 3, beta: 3 }, C: { alpha: 0.5, beta: 0.7 }, D: { alpha: 1, beta: 4 } },
};

const exact: Readonly<Record<string, Source>> = {
  'explore topN': around('topN'),
  'explore diversity': around('diversity'),
  'explore round_robin': around('round_robin'),
  'explore explore_exploit': { ...strategy('softmax', { temperature: 0.4 }), flowConfig: explore },
  'strategy epsilon_greedy': strategy('epsilon_greedy', { explorationRate: 0.3 }),
  'strategy epsilon_greedy, low evidence': strategy('epsilon_greedy', {
    explorationRate: 0.3,
    pool: 'low_evidence',
    minEvidence: 10,
  }),
  'strategy softmax': strategy('softmax', { temperature: 0.3 }),
  'strategy ucb': strategy('ucb'),
  'model epsilon_greedy': model('epsilon_greedy', greedyArms),
};

const estimated: Readonly<Record<string, Source>> = {
  'strategy thompson': strategy('thompson', {}, byEvidence),
  'explore around thompson': { ...strategy('thompson', {}, byEvidence), flowConfig: explore },
  'model epsilon_greedy, ranked by diversity': model('epsilon_greedy', greedyArms, {
    method: 'diversity',
    lambda: 0.6,
  }),
  'model thompson_bandit': model('thompson_bandit', betaArms),
  'model thompson_bandit, explored': model('thompson_bandit', betaArms, {}, { flowConfig: explore }),
};

interface World {
  readonly plan: Plan;
  readonly input: DecisionInput;
}

/** `draws`: repetitions of a strategy's estimate, which its picks don't depend on. */
function world(source: Source, limit: number, draws: number | null): World {
  const withDraws = (node: NonNullable<CaseSource['nodes']>[number]) =>
    node.type === 'rank' && node.config?.method === 'explore_exploit' && draws !== null
      ? { ...node, config: { ...node.config, draws } }
      : node;
  const own = { ...source, nodes: source.nodes?.map(withDraws) };
  const shared = {
    name: 'test',
    expect: {},
    offers,
    categories: [
      { id: 'x', name: 'x' },
      { id: 'y', name: 'y' },
    ],
  };
  const read = readCase(JSON.parse(JSON.stringify({ ...shared, request: { limit }, ...own })));
  const plan = compile(read.snapshot);
  return { plan, input: read.input(plan) };
}

const seedOf = (number: number): string => (number * 2_654_435_761).toString(16).padStart(32, '0');
const decided = ({ plan, input }: World, number: number): Decision => decide(plan, { ...input, seed: seedOf(number) });
const slateOf = ({ items }: Decision): string => items.map(({ offerId }) => offerId).join('');

function assertFits(counts: ReadonlyMap<string, number>, chances: ReadonlyMap<string, number>): void {
  const { statistic, freedom } = chiSquareOf(counts, chances, total);
  const told = JSON.stringify([[...counts], [...chances]]);
  if (freedom > 0) assert.ok(statistic < onceInAMillion(freedom), `chi-square ${statistic} of ${freedom}: ${told}`);
}

test('covers every exploration method and every model that draws', () => {
  const names = [...Object.keys(exact), ...Object.keys(estimated)];
  const wanted = [
    ...[...rankMethods.keys()].map((name) => `explore ${name}`),
    ...strategyNames.map((name) => `strategy ${name}`),
    ...[...modelKinds.values()].flatMap(({ type, isBandit }) => (isBandit ? [`model ${type}`] : [])),
  ];
  assert.ok(wanted.length >= 10);
  assert.deepEqual(
    wanted.filter((each) => !names.some((name) => name === each || name.startsWith(`${each},`))),
    [],
  );
});

for (const [name, source] of Object.entries(exact)) {
  test(`${name}: slates come up as often as stored, and their probabilities sum to 1`, inTurn(name, 2), () => {
    const own = world(source, 2, null);
    const counts = new Map<string, number>();
    const chances = new Map<string, number>();
    for (let number = 0; number < total; number++) {
      const decision = decided(own, number);
      const slate = slateOf(decision);
      counts.set(slate, (counts.get(slate) ?? 0) + 1);
      const product = decision.items.reduce((so, { selection }) => so * selection.probability, 1);
      assert.ok(decision.items.every(({ selection }) => !selection.estimated));
      assert.ok(Math.abs(product - decision.slateProbability) < 1e-12);
      chances.set(slate, chances.get(slate) ?? decision.slateProbability);
      assert.equal(decision.slateProbability, chances.get(slate), `${slate} has one chance`);
    }
    const sum = [...chances.values()].reduce((so, chance) => so + chance, 0);
    assert.ok(sum <= 1 + 1e-12, `${sum}`);
    // What never came up is rare.
    assert.ok((1 - sum) * total < 30, `${sum}`);
    assertFits(counts, chances);
  });
}

for (const [name, source] of Object.entries(estimated)) {
  test(`${name}: picks come up as often as estimated on average`, inTurn(name, 2), () => {
    // Of models the repetitions can't be lowered, but a survey draws the same scores and estimates nothing.
    const isModel = source.models !== undefined;
    const isPlain = isModel && source.flowConfig === undefined && name.startsWith('model thompson_bandit');
    const cheap = world(source, 1, 20);
    const counts = new Map<string, number>();
    const count = isModel && !isPlain ? Math.min(total, estimates * 4) : total;
    for (let number = 0; number < count; number++) {
      const pick = isPlain ? surveyed(cheap, number) : slateOf(decided(cheap, number));
      counts.set(pick, (counts.get(pick) ?? 0) + 1);
    }
    const careful = world(source, 1, 1000);
    const sums = new Map<string, { sum: number; times: number }>();
    for (let number = 0; number < estimates; number++) {
      const decision = decided(careful, number);
      if (isPlain) assert.equal(slateOf(decision), surveyed(cheap, number), 'a survey draws what a decision draws');
      const { probability, draws = 0, estimated: isEstimated } = decision.items[0]!.selection;
      assert.ok(isEstimated && draws === 1000);
      // Shrunk toward the uniform by one for each of the four candidates.
      const hits = probability * (draws + offers.length) - 1;
      const known = sums.get(slateOf(decision)) ?? { sum: 0, times: 0 };
      sums.set(slateOf(decision), { sum: known.sum + hits / draws, times: known.times + 1 });
    }
    let compared = 0;
    for (const [pick, { sum, times }] of sums) {
      if (times < 10) continue;
      const seen = (counts.get(pick) ?? 0) / count;
      const spread = 5 * Math.sqrt(seen * (1 - seen) * (1 / count + 1 / (times * 1000)));
      assert.ok(Math.abs(sum / times - seen) < spread, `${pick}: ${sum / times} estimated, ${seen} seen`);
      compared += 1;
    }
    assert.ok(compared >= 2, `${compared} picks were compared`);
  });
}

/** The offer that a bandit's draws put first. */
function surveyed({ plan, input }: World, number: number): string {
  const { trace } = decide(plan, { ...input, seed: seedOf(number) }, { survey: true });
  const [first] = (trace?.scoringResults ?? []) as readonly { readonly offerId: string }[];
  return first?.offerId ?? '';
}
