import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { inTurn } from '../../../test/form.ts';
import { canonicalJson, compile, type Decision, decide, type Json, resultOf, stream } from '../src/index.ts';
import { type CaseSource, readCase } from './conformance/case.ts';

/** A case with exploration; expectations are the test's. */
type Case = Omit<CaseSource, 'name' | 'expect'>;
type Explore = { readonly [key: string]: Json };

/** `explore` in place of the case's own; null: without any. */
const asJson = (source: Case, explore: Explore | null): Json =>
  JSON.parse(
    JSON.stringify({
      name: 'explore',
      expect: {},
      ...source,
      flowConfig: { ...source.flowConfig, explore: explore ?? undefined },
    }),
  );

/** The decision of each seed. */
function* decisionsOf(source: Case, explore: Explore, seeds: number, change = (input: object): object => input) {
  const read = readCase(asJson(source, explore));
  const plan = compile(read.snapshot);
  const input = read.input(plan);
  for (let number = 0; number < seeds; number++) {
    const seed = number.toString(16).padStart(32, '0');
    yield { seed, decision: decide(plan, { ...input, ...change(input), seed }) };
  }
}

const offer = (id: string, priority: number, categoryId: string | null = null) => ({ id, priority, categoryId });
const five = [offer('A', 90, 'x'), offer('B', 80, 'x'), offer('C', 70, 'y'), offer('D', 60, 'y'), offer('E', 50, 'z')];
const categories = ['x', 'y', 'z'].map((id) => ({ id, name: id }));
const nodes = (rank: { readonly [key: string]: Json } = {}) => [
  { id: 'i', type: 'inventory' },
  { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'r', type: 'rank', config: rank },
];
const web = [{ id: 'web', channelType: 'web', couplingMode: 'atomic' as const }];
const placements = [
  { id: 'hero', channelId: 'web', maxSlots: 1 },
  { id: 'side', channelId: 'web', maxSlots: 2 },
];
const bound = (placementId: string, ...ids: string[]) =>
  ids.map((id) => ({ id: `${id}-${placementId}`, offerId: id, channelId: 'web', placementId }));
const both = {
  placements: [
    { placementId: 'hero', limit: null },
    { placementId: 'side', limit: null },
  ],
};
const capped = {
  id: 'cap',
  ruleType: 'frequency_cap',
  config: { maxPerDay: 1, per: 'category' },
};
const base: Case = { offers: five, categories, nodes: nodes(), request: { limit: 3 } };

/** Each has more than one slot, and few enough outcomes for each to occur. */
const worlds: Readonly<Record<string, readonly [source: Case, explore: Explore, quotaLeft?: number]>> = {
  topN: [base, { rate: 0.2, poolSize: 2 }],
  'two slots of a wider pool': [
    { ...base, request: { limit: 2 } },
    { rate: 0.2, poolSize: 4 },
  ],
  'a pool larger than what is left': [{ ...base, offers: five.slice(0, 3) }, { rate: 0.2 }],
  'a cap that takes candidates out of the pool': [
    { ...base, policies: [capped] },
    { rate: 0.2, poolSize: 2 },
  ],
  'diversity, whose pick may stand outside the pool': [
    { ...base, nodes: nodes({ method: 'diversity', lambda: 0.2 }) },
    { rate: 0.2, poolSize: 2 },
  ],
  'diversity with full categories': [
    { ...base, nodes: nodes({ method: 'diversity', maxPerCategory: 1 }) },
    { rate: 0.2, poolSize: 2 },
  ],
  round_robin: [
    { ...base, nodes: nodes({ method: 'round_robin' }) },
    { rate: 0.2, poolSize: 3 },
  ],
  'epsilon_greedy, whose own chance is kept': [
    { ...base, offers: five.slice(0, 3), nodes: nodes({ method: 'explore_exploit', explorationRate: 0.4 }) },
    { rate: 0.2, poolSize: 2 },
  ],
  'softmax, which draws from more than the pool': [
    {
      ...base,
      offers: five.slice(0, 4),
      nodes: nodes({ method: 'explore_exploit', strategy: 'softmax', temperature: 1 }),
      request: { limit: 2 },
    },
    { rate: 0.2, poolSize: 2 },
  ],
  'ucb, which leaves nothing to chance': [
    { ...base, nodes: nodes({ method: 'explore_exploit', strategy: 'ucb', ucbC: 3 }), request: { limit: 2 } },
    { rate: 0.2, poolSize: 2 },
  ],
  'softmax without exploration around it, and a quota': [
    {
      ...base,
      offers: five.slice(0, 3),
      nodes: nodes({ method: 'explore_exploit', strategy: 'softmax', temperature: 1 }),
    },
    { rate: 0 },
    1,
  ],
  'softmax on two channels of which one explores': [
    {
      ...base,
      offers: five.slice(0, 4),
      channels: [...web, { id: 'mail', channelType: 'mail' }],
      creatives: five.map(({ id }, at) => ({ id: `${id}-c`, offerId: id, channelId: at % 2 === 0 ? 'web' : 'mail' })),
      nodes: nodes({ method: 'explore_exploit', strategy: 'softmax', temperature: 1 }),
      request: { limit: 2 },
    },
    { rate: 0.2, poolSize: 2, channels: ['web'] },
  ],
  'placements, each its own best': [
    {
      ...base,
      channels: web,
      placements,
      creatives: [...bound('hero', 'A', 'B', 'C'), ...bound('side', 'A', 'B', 'D', 'E')],
      request: both,
    },
    { rate: 0.2, poolSize: 2 },
  ],
  'placements without the same offer twice': [
    {
      ...base,
      channels: web,
      placements,
      creatives: [...bound('hero', 'A', 'B', 'C'), ...bound('side', 'A', 'B', 'D', 'E')],
      request: { ...both, deduplicate: true },
    },
    { rate: 0.2, poolSize: 2 },
  ],
  'coupling that empties what was drawn': [
    {
      ...base,
      channels: web,
      placements,
      creatives: [...bound('hero', 'A', 'B'), ...bound('side', 'B')],
      request: { ...both, deduplicate: true },
    },
    { rate: 0.2, poolSize: 2 },
  ],
  'a quota that covers one item': [base, { rate: 0.2, poolSize: 2 }, 1],
  'mandatory items and a first rank': [
    { ...base, offers: [...five, { ...offer('M', 10), mandatory: true }], request: { limit: 4 } },
    { rate: 0.2, poolSize: 3, fromRank: 3 },
  ],
  'one channel that explores': [
    {
      ...base,
      channels: [...web, { id: 'mail', channelType: 'mail' }],
      creatives: five.map(({ id }, at) => ({ id: `${id}-c`, offerId: id, channelId: at % 2 === 0 ? 'web' : 'mail' })),
    },
    { rate: 0.2, poolSize: 2, channels: ['WEB'] },
  ],
};

/** Returns the draws, slot by slot, whether or not the item is in the response. */
const drawnBy = ({ items, draws }: Decision): string =>
  (draws ?? items).map(({ offerId, creativeId }) => `${offerId}/${creativeId}`).join(' ');

describe('stored probabilities match the frequencies', () => {
  for (const [name, [source, explore, quotaLeft]] of Object.entries(worlds)) {
    test(name, inTurn(name, 3), () => {
      const seeds = 12_000;
      const slates = new Map<string, { probability: number; count: number }>();
      for (const { decision } of decisionsOf(source, explore, seeds, () => ({ quotaLeft }))) {
        const { items, draws, slateProbability: probability } = decision;
        const product = (draws ?? items.map(({ selection }) => selection)).reduce(
          (all, own) => all * own.probability,
          1,
        );
        assert.equal(probability, product, 'the slate is the product of its slots');
        const known = slates.get(drawnBy(decision));
        if (known === undefined) slates.set(drawnBy(decision), { probability, count: 1 });
        else {
          assert.equal(known.probability, probability, 'what is drawn says how likely it was');
          known.count += 1;
        }
      }
      assert.ok(slates.size > 1, `${slates.size} slates`);
      let sum = 0;
      for (const [slate, { probability, count }] of slates) {
        sum += probability;
        const spread = Math.sqrt(seeds * probability * (1 - probability));
        const off = Math.abs(count - seeds * probability);
        assert.ok(off <= 4.5 * spread + 1, `${slate}: ${count} of ${seeds} at ${probability}`);
      }
      assert.ok(Math.abs(sum - 1) < 1e-9, `all slates together have ${sum}`);
    });
  }
});

test('draws a slot from its own stream, by its position in the whole response', () => {
  const source = { ...base, offers: [...five, { ...offer('M', 10), mandatory: true }], request: { limit: 3 } };
  let explored = 0;
  for (const { seed, decision } of decisionsOf(source, { rate: 0.2, poolSize: 2 }, 500)) {
    const left = five.map(({ id }) => id);
    const wanted = ['M'];
    const flags = [false];
    for (const place of [2, 3]) {
      const next = stream(seed, `explore:${place}`);
      const draws = next() < 0.2;
      wanted.push(...left.splice(draws ? Math.floor(next() * 2) : 0, 1));
      flags.push(draws);
      if (draws) explored += 1;
    }
    assert.deepEqual(
      decision.items.map(({ offerId }) => offerId),
      wanted,
    );
    assert.deepEqual(
      decision.items.map(({ selection }) => selection.explored),
      flags,
    );
    assert.deepEqual(
      decision.items.map(({ selection }) => selection.method),
      ['mandatory', 'topN', 'topN'],
    );
    const best = decision.items[1]!.offerId === 'A' ? 0.9 : 0.1;
    assert.equal(decision.items[0]!.selection.probability, 1);
    assert.ok(Math.abs(decision.items[1]!.selection.probability - best) < 1e-12);
    assert.equal(decision.explored, flags.includes(true));
    assert.equal(decision.minProbability, Math.min(...decision.items.map(({ selection }) => selection.probability)));
  }
  assert.ok(explored > 100);
});

test('records exactly what coupling or a quota took back', () => {
  const cases = ['coupling that empties what was drawn', 'a quota that covers one item'];
  for (const name of cases) {
    const [source, explore, quotaLeft] = worlds[name]!;
    let [kept, whole] = [0, 0];
    for (const { decision } of decisionsOf(source, explore, 300, () => ({ quotaLeft }))) {
      if (decision.draws === null) {
        whole += 1;
        continue;
      }
      kept += 1;
      assert.ok(decision.draws.length > decision.items.length);
      const result = resultOf(decision) as { readonly draws: readonly Json[] };
      assert.equal(result.draws.length, decision.draws.length, 'part of the result');
    }
    assert.ok(kept > 10, name);
    if (name === cases[0]) assert.ok(whole > 10, 'drawn and delivered are the same');
  }
  const [coupled] = worlds['coupling that empties what was drawn']!;
  for (const { decision } of decisionsOf(coupled, { rate: 0 }, 3)) {
    assert.equal(decision.draws, null, 'without chance a replay gives it');
    assert.equal(Object.hasOwn(Object(resultOf(decision)), 'draws'), false);
  }
});

test("doesn't explore for control groups, single candidates, before fromRank or on another channel", () => {
  const certain: readonly (readonly [Case, Explore])[] = [
    [{ ...base, tenant: { holdoutPercentage: 100 } }, { rate: 0.2 }],
    [{ ...base, offers: [offer('A', 1)] }, { rate: 0.2 }],
    [base, { rate: 0.2, fromRank: 4 }],
    [base, { rate: 0.2, channels: ['other'] }],
    [base, {}],
    [base, { rate: 0, poolSize: 2 }],
  ];
  for (const [source, explore] of certain) {
    const first = readCase(asJson(source, null));
    const plan = compile(first.snapshot);
    const expected = canonicalJson(resultOf(decide(plan, first.input(plan))));
    for (const { decision } of decisionsOf(source, explore, 50)) {
      assert.equal(canonicalJson(resultOf(decision)), expected);
      assert.deepEqual([decision.explored, decision.minProbability], [false, 1]);
    }
  }
});

test('rate 0 changes no byte of any conformance case', () => {
  const folder = new URL('../conformance/decisions/', import.meta.url);
  for (const file of readdirSync(folder)) {
    for (const json of JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as CaseSource[]) {
      const bytes = [null, { rate: 0, poolSize: 2, fromRank: 1, channels: [] }].map((explore) => {
        const read = readCase(asJson(json, explore));
        const plan = compile(read.snapshot);
        return canonicalJson(resultOf(decide(plan, read.input(plan))));
      });
      assert.equal(bytes[0], bytes[1], json.name);
    }
  }
});

test('a placement has its own pool, however many come before it', () => {
  const many = Array.from({ length: 120 }, (_, at) => offer(`o${String(at).padStart(3, '0')}`, 100 - (at >> 1)));
  const ids = many.map(({ id }) => id);
  const source: Case = {
    ...base,
    offers: many,
    channels: web,
    placements,
    // The side column takes the worst of all: none of them is among the best of the response.
    creatives: [...bound('hero', ...ids.slice(0, 100)), ...bound('side', ...ids.slice(100))],
    request: both,
  };
  const drawn = new Set<string>();
  for (const { decision } of decisionsOf(source, { rate: 0.2, poolSize: 3 }, 2000))
    drawn.add(decision.items[1]!.offerId);
  assert.deepEqual([...drawn].sort(), ['o100', 'o101', 'o102']);
});

test('rejects a plan of a newer engine', () => {
  const { snapshot } = readCase(asJson(base, null));
  assert.throws(() => compile({ ...snapshot, semantics: 99 }), /the plan has semantics 99; this engine supports \d+/);
});
