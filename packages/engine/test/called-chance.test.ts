import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inTurn } from '../../../test/form.ts';
import { compile, type Decision, type DecisionInput, decide, type Json, type Plan } from '../src/index.ts';
import { type CaseSource, readCase } from './conformance/case.ts';
import { chiSquare, chiSquareOf, onceInAMillion } from './test-chi-square.ts';

/** The probabilities that decisions through called flows and hooks store match the outcomes. */

type Case = Omit<CaseSource, 'name' | 'expect'>;
type Node = NonNullable<CaseSource['nodes']>[number];
type Config = { readonly [key: string]: Json };

const total = process.env.TEST_FORM === 'long' ? 100_000 : 20_000;
/** Number of additional cases, which differ little from earlier ones. */
const fewer = total / 10;
const seedOf = (number: number): string => number.toString(16).padStart(32, '0');
const slateOf = ({ items }: Decision): string => items.map(({ offerId }) => offerId).join('');

function made(source: Case): { readonly plan: Plan; readonly input: DecisionInput } {
  const read = readCase(JSON.parse(JSON.stringify({ name: 'x', expect: {}, ...source })) as Json);
  const plan = compile(read.snapshot);
  return { plan, input: read.input(plan) };
}

const node = (type: string, config: Config = {}, id = type): Node => ({ id, type, config });
const call = (mode: 'narrow' | 'merge' | 'replace', id = 'call'): Node =>
  node('call_flow', { flowKey: 'inner', mode }, id);
const inventory = (...offerIds: string[]): Node => node('inventory', { scope: 'offers', offerIds });

/** Offer e comes by called flows that merge or replace, and by no other way. */
const offers = [40, 60, 80, 100, 70].map((priority, at) => ({
  id: 'abcde'[at]!,
  priority,
  businessValue: 90 - 15 * at,
  margin: 10 * at,
}));
const propensity = (modelKey: string): Config => ({ method: 'propensity', modelKey });
const bandits: Case = {
  offers,
  models: [
    { key: 'beta', modelType: 'thompson_bandit' },
    { key: 'greedy', modelType: 'epsilon_greedy' },
    { key: 'half', modelType: 'scorecard', config: { baseScore: 50, normalization: 'linear' } },
    { key: 'third', modelType: 'scorecard', config: { baseScore: 33, normalization: 'linear' } },
  ],
  modelStates: {
    beta: {
      arms: {
        a: { alpha: 5, beta: 3 },
        b: { alpha: 3, beta: 3 },
        c: { alpha: 0.5, beta: 0.7 },
        d: { alpha: 1, beta: 4 },
        e: { alpha: 2, beta: 2 },
      },
    },
    greedy: {
      arms: Object.fromEntries(offers.map(({ id }, at) => [id, { totalReward: 9 - 2 * at, pulls: 10 }])),
      epsilon: 0.4,
      decayRate: 0,
      totalPulls: 40,
    },
  },
  request: { limit: 2 },
};
const begin = [inventory('a', 'b', 'c', 'd'), node('match_creatives')];

describe('exact probabilities: each slate comes up as often as stated, and all sum to 1', () => {
  const scored = node('score', { method: 'priority_weighted' });
  const inner = (nodes: readonly Node[]): NonNullable<Case['subFlows']> => [{ key: 'inner', nodes }];
  const cases: Readonly<Record<string, Case>> = {
    'explore around a call that scores anew and keeps the best': {
      flowConfig: { explore: { rate: 0.2, poolSize: 4 } },
      nodes: [...begin, scored, call('narrow'), node('rank')],
      subFlows: inner([inventory('a'), node('score', { method: 'formula' }), node('rank', { topN: 3 })]),
    },
    'explore around a call that merges': {
      flowConfig: { explore: { rate: 0.2, poolSize: 4 } },
      nodes: [...begin, scored, call('merge'), node('rank', { method: 'diversity' })],
      subFlows: inner([inventory('e'), node('match_creatives'), scored]),
    },
    'a bandit behind a call that narrows what may be shown': {
      nodes: [...begin, call('narrow'), node('score', propensity('greedy')), node('rank')],
      subFlows: inner([
        inventory('a'),
        node('filter', { conditions: [{ field: 'offer.priority', operator: 'lt', value: 100 }] }),
      ]),
    },
    'explore around a call that narrows what may be shown': {
      flowConfig: { explore: { rate: 0.2, poolSize: 3 } },
      nodes: [...begin, call('narrow'), scored, node('rank')],
      subFlows: inner([
        inventory('a'),
        node('filter', { conditions: [{ field: 'offer.priority', operator: 'gt', value: 50 }] }),
      ]),
    },
    'explore_exploit behind a call that scores anew': {
      nodes: [
        ...begin,
        scored,
        call('narrow'),
        node('rank', { method: 'explore_exploit', strategy: 'softmax', temperature: 0.6 }),
      ],
      subFlows: inner([inventory('a'), node('score', { method: 'formula' })]),
    },
    'a bandit that scores what a call has brought': {
      nodes: [...begin, call('replace'), node('score', propensity('greedy')), node('rank')],
      subFlows: inner([inventory('a', 'c', 'e'), node('match_creatives')]),
    },
  };
  for (const [at, [name, source]] of Object.entries(cases).entries()) {
    const count = at < 3 ? total : fewer;
    test(`${name}, ${count} decisions`, inTurn(name, 3), () => {
      const { plan, input } = made({ ...bandits, ...source });
      const counts = new Map<string, number>();
      const chances = new Map<string, number>();
      for (let number = 0; number < count; number++) {
        const decision = decide(plan, { ...input, seed: seedOf(number) });
        const slate = slateOf(decision);
        counts.set(slate, (counts.get(slate) ?? 0) + 1);
        // A slate that exploration draws and one that is the method's own pick are the same slate.
        const known = chances.get(slate) ?? decision.slateProbability;
        assert.equal(decision.slateProbability, known, slate);
        chances.set(slate, known);
        assert.ok(decision.items.every(({ selection }) => !selection.estimated));
      }
      assert.ok(chances.size >= 6, `${chances.size} slates`);
      const sum = [...chances.values()].reduce((all, chance) => all + chance, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `all slates together have ${sum}`);
      const { statistic, freedom } = chiSquareOf(counts, chances, count);
      assert.ok(statistic < onceInAMillion(freedom), `chi-square ${statistic} with ${freedom} degrees of freedom`);
    });
  }
});

describe('estimated probabilities match the frequencies', () => {
  const hook = (formula: string): Node =>
    node('extension_point', { hook: 'score_override', kind: 'formula', formula }, 'hook');
  const bandit = node('score', propensity('beta'));
  const worth = node('optimize', { weights: { propensity: 0.6, businessValue: 0.4 }, combine: 'blend' });
  const inner = (...nodes: readonly Node[]): NonNullable<Case['subFlows']> => [
    { key: 'inner', nodes: [inventory('a'), ...nodes] },
  ];
  const plain = node('score', { method: 'priority_weighted' });
  const cases: Readonly<Record<string, Case>> = {
    'a bandit in a called flow, under its objectives': {
      nodes: [...begin, plain, call('narrow'), node('rank')],
      subFlows: inner(bandit, worth),
    },
    'a hook behind a bandit': {
      nodes: [...begin, bandit, hook('score.total * (1 + offer.priority / 50)'), node('rank')],
    },
    'a bandit in a called flow': {
      nodes: [...begin, plain, call('narrow'), node('rank')],
      subFlows: inner(bandit),
    },
    'a bandit, and a called flow that weighs the same draws by priority': {
      nodes: [...begin, plain, call('narrow'), node('rank')],
      subFlows: inner(node('score', { ...propensity('beta'), method: 'formula' }), worth),
    },
    'offers of a called flow beside those of its caller, each under a bandit': {
      nodes: [...begin, node('score', propensity('greedy')), call('merge'), node('rank')],
      subFlows: [{ key: 'inner', nodes: [inventory('e', 'a'), node('match_creatives'), bandit] }],
    },
    'a hook that asks what a bandit expects, where priority scores': {
      nodes: [
        ...begin,
        node('score', { method: 'priority_weighted', modelKey: 'beta' }),
        hook('score.total + score.propensity'),
        node('rank'),
      ],
    },
    'a hook that goes by places': {
      nodes: [...begin, bandit, hook('score.rank == 1 ? 0.2 : score.total'), node('rank')],
    },
    'a hook between a bandit and its objectives': {
      nodes: [
        ...begin,
        bandit,
        hook('score.total * offer.priority'),
        worth,
        node('rank', { method: 'diversity', lambda: 0.7 }),
      ],
    },
    'objectives that ask what a bandit expects, where priority scores': {
      nodes: [...begin, node('score', { method: 'priority_weighted', modelKey: 'beta' }), worth, node('rank')],
    },
    'a webhook that scores one of the offers': {
      nodes: [
        ...begin,
        bandit,
        node('extension_point', { hook: 'score_override', kind: 'webhook', url: 'https://a.b/' }, 'hook'),
        node('rank'),
      ],
      external: { hook: { candidates: [{ offerId: 'd', score: 0.6, drop: false }] } },
    },
  };
  for (const [at, [name, source]] of Object.entries(cases).entries()) {
    const count = at < 2 ? total : fewer;
    test(`${name}, ${count} draws`, inTurn(name, 3), () => {
      const { plan, input } = made({ ...bandits, ...source });
      /** The two best by the scores that a decision with this seed draws: a survey draws the same, and estimates nothing. */
      const bestTwo = (seed: string): string => {
        const { trace } = decide(plan, { ...input, seed }, { survey: true });
        const rows = (trace?.scoringResults ?? []) as readonly { readonly offerId: string; readonly score: number }[];
        return bestTwoOf(rows);
      };
      const firsts = new Map<string, number>();
      const slates = new Map<string, number>();
      for (let number = 0; number < count; number++) {
        const slate = bestTwo(seedOf(number));
        slates.set(slate, (slates.get(slate) ?? 0) + 1);
        firsts.set(slate[0]!, (firsts.get(slate[0]!) ?? 0) + 1);
      }
      /** Repetitions that came out so, over those that might have. */
      const estimates = new Map<string, { hits: number; of: number }>();
      const add = (key: string, hits: number, of: number): void => {
        const known = estimates.get(key) ?? { hits: 0, of: 0 };
        estimates.set(key, { hits: known.hits + hits, of: known.of + of });
      };
      for (let number = 0; number < 150; number++) {
        const decision = decide(plan, { ...input, seed: seedOf(number) });
        const slate = slateOf(decision);
        assert.equal(slate, bestTwo(seedOf(number)), 'what is counted is what decisions draw');
        const [first, second] = decision.items.map(({ selection }) => selection);
        assert.deepEqual([first?.estimated, first?.draws, second?.estimated], [true, 1000, true]);
        // The estimate is shrunk toward the uniform by one for each remaining candidate; what it counted is unbiased.
        const left = source.nodes?.some(({ config }) => config?.mode === 'merge') ? 5 : 4;
        const hits = first!.probability * (1000 + left) - 1;
        add(slate[0]!, hits, 1000);
        add(slate, second!.probability * (hits + left - 1) - 1, hits);
      }
      const cells = [...estimates].flatMap(([key, { hits, of }]) => {
        const all = key.length === 1 ? count : firsts.get(key[0]!)!;
        const seen = (key.length === 1 ? firsts : slates).get(key)!;
        // Both were counted: the difference of their shares has the variance of both.
        const doubt = 1 + all / of;
        const expected = (hits / of) * all;
        return of < 2000 || expected < 20 ? [] : [{ seen: expected + (seen - expected) / Math.sqrt(doubt), expected }];
      });
      assert.ok(cells.length >= 6, `${cells.length} cells`);
      const { statistic, freedom } = chiSquare(cells);
      assert.ok(statistic < onceInAMillion(freedom), `chi-square ${statistic} with ${freedom} degrees of freedom`);
    });
  }
});

/**
 * The first two of the ranking. With `diversity` the greedy choice is the same while no two offers have anything in
 * common.
 */
function bestTwoOf(rows: readonly { readonly offerId: string; readonly score: number }[]): string {
  const priority = new Map(offers.map((offer) => [offer.id, offer.priority]));
  return rows
    .toSorted((a, b) => b.score - a.score || priority.get(b.offerId)! - priority.get(a.offerId)!)
    .slice(0, 2)
    .map(({ offerId }) => offerId)
    .join('');
}

test('champion and challengers of a called flow get their shares of customers', () => {
  const { plan, input } = made({
    ...bandits,
    nodes: [...begin, node('score', { method: 'priority_weighted' }), call('narrow'), node('rank')],
    subFlows: [
      {
        key: 'inner',
        nodes: [
          inventory('a'),
          node(
            'score',
            {
              method: 'propensity',
              championChallenger: {
                enabled: true,
                champion: { modelKey: 'half', weight: 62.5 },
                challengers: [
                  { modelKey: 'third', weight: 30 },
                  { modelKey: 'gone', weight: 7.5 },
                ],
              },
            },
            'shared',
          ),
        ],
      },
    ],
  });
  const counts = new Map<string, number>();
  const shares = new Map<string, number>();
  for (let number = 0; number < total; number++) {
    const { assignment } = decide(plan, {
      ...input,
      request: { ...input.request, customerId: `C${number}`, limit: 1 },
    });
    const [own, ...others] = assignment.called ?? [];
    assert.deepEqual(
      [own?.flowKey, own?.nodeId, others.length, assignment.experiment],
      ['inner', 'call/shared', 0, null],
    );
    counts.set(own!.variant, (counts.get(own!.variant) ?? 0) + 1);
    shares.set(own!.variant, own!.share);
  }
  assert.deepEqual(Object.fromEntries(shares), { __champion__: 0.625, third: 0.3, gone: 0.075 });
  const { statistic, freedom } = chiSquareOf(counts, shares, total);
  assert.ok(statistic < onceInAMillion(freedom), `chi-square ${statistic} with ${freedom} degrees of freedom`);
});
