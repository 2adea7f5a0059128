import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { inTurn, sized } from '../../../test/form.ts';
import { winChances } from '../src/delivery/strategies/win-chances.ts';
import {
  compile,
  type DecisionInput,
  decide,
  h32,
  type Json,
  type JsonObject,
  type LoggedSlate,
  loggedSlate,
  type Plan,
  resultOf,
  type WeighedPlace,
  weigh,
} from '../src/index.ts';
import { type CaseSource, readCase } from './conformance/case.ts';
import { chanceOf } from './corpus/chance.ts';
import { withBranches } from './corpus/random-branches.ts';
import { randomInput } from './corpus/random-input.ts';
import { randomModelInput, withModels } from './corpus/random-models.ts';
import { randomSnapshot } from './corpus/random-plan.ts';
import { readCorpus, unpackInput } from './corpus/record.ts';
import { utcClock } from './corpus/utc-clock.ts';

const folder = new URL('../corpus/', import.meta.url);

interface Seen {
  exact: number;
  byChance: number;
  estimated: number;
  unknown: number;
}

/** Repetitions of models that draw, fewer than in a judgment. */
const repetitions = 2_000;

/** Weighs an answer with its own plan, which must give the stored probabilities. */
function compare(plan: Plan, input: DecisionInput, result: JsonObject, seen: Seen, where: string): void {
  const slate = loggedSlate(result);
  const { places, next, unknown } = weigh(plan, input, slate, { repetitions });
  if (unknown !== null) {
    seen.unknown += 1;
    return;
  }
  assert.equal(places.length, slate.items.length, `${where}: every item is found again`);
  assert.deepEqual(next, [], `${where}: the answer ends where it ended`);
  let before = 1;
  for (const [at, place] of places.entries()) {
    const item = slate.items[at]!;
    assert.equal(place.isDelivered, item.rank !== null, `${where}: place ${at} is delivered`);
    if (item.creativeShare !== null) assert.equal(place.creativeShare, item.creativeShare, where);
    assertDistribution(place, `${where}: place ${at}`);
    if (place.choice >= 0) assert.equal(place.choices[place.choice]!.offerId, item.offerId, where);
    if (item.estimated) {
      assertNear(item.probability, item.draws ?? 1000, place, before, `${where}: place ${at}`);
      seen.estimated += 1;
    } else {
      assert.equal(place.probability, item.probability, `${where}: place ${at}`);
      seen.exact += 1;
      if (place.probability < 1) seen.byChance += 1;
    }
    if (item.mandatory) assert.equal(place.probability, 1, where);
    before *= place.probability;
  }
}

function assertDistribution({ choices, probability, choice }: WeighedPlace, where: string): void {
  const sum = choices.reduce((so, each) => so + each.probability, 0);
  assert.ok(Math.abs(sum - 1) < 1e-12, `${where} sums to ${sum}`);
  for (const each of choices) assert.ok(each.probability > 0 && each.probability <= 1 + 1e-12, where);
  assert.equal(choices[choice]?.probability ?? 0, probability, where);
}

/** An estimate in a record is rough, and drawn toward the uniform by one for each candidate. */
function assertNear(stored: number, draws: number, place: WeighedPlace, before: number, where: string): void {
  const count = draws * before;
  const size = place.choices.length;
  const p = place.probability;
  const expected = (count * p + 1) / (count + size);
  const noise = Math.sqrt(
    expected * (1 - expected) * (1 / count + (place.method === 'repetitions' ? 1 / (repetitions * before) : 0)),
  );
  assert.ok(
    Math.abs(stored - expected) <= 7 * noise + 60 / count,
    `${where}: ${stored} stored, ${p} weighed (${noise})`,
  );
}

const nothing = (): Seen => ({ exact: 0, byChance: 0, estimated: 0, unknown: 0 });

test('weighing the frozen corpus gives the stored probabilities, bit for bit', () => {
  const seen = nothing();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl.br'))) {
    const text = brotliDecompressSync(readFileSync(new URL(name, folder))).toString('utf8');
    readCorpus(text, (plan, { input, result }, line) =>
      compare(plan, unpackInput(input), result as JsonObject, seen, `${name} line ${line}`),
    );
  }
  assert.ok(seen.exact > 1_300 && seen.byChance > 250 && seen.estimated > 300, JSON.stringify(seen));
});

test(
  'random catalogues: an answer of any seed has the probability that it stored, by the clock of another seed',
  inTurn('any seed', 2),
  () => {
    const seen = nothing();
    const worlds = sized('WEIGHED_WORLDS', { short: 250, long: 3_000 });
    for (let world = 0; world < worlds; world++) {
      const chance = chanceOf(`weigh-${world}`, 'world');
      const straight = randomSnapshot(chance, () => []);
      const snapshot = world % 8 > 0 ? straight : withModels(chance, withBranches(chance, straight));
      const plan = compile(snapshot);
      for (let number = 0; number < 4; number++) {
        const input = unpackInput({
          ...randomInput(chance, snapshot, plan, number, utcClock),
          ...randomModelInput(chance, snapshot, plan, (text) => h32(text).toString(16)),
        });
        const result = resultOf(decide(plan, input)) as JsonObject;
        // Scores that a model drew also decide which offers pass a gate, so their walk needs the same draws.
        const seed = snapshot.models === undefined ? number.toString(16).padStart(32, 'f') : input.seed;
        compare(plan, { ...input, seed }, result, seen, `world ${world}, decision ${number}`);
      }
    }
    assert.ok(seen.exact > worlds && seen.byChance > worlds / 10, JSON.stringify(seen));
  },
);

type Case = Omit<CaseSource, 'name' | 'expect'>;
type Config = Readonly<Record<string, Json>>;

const node = (type: string, config: Config = {}, id = type) => ({ id, type, config });
const begin = [node('inventory', { scope: 'offers', offerIds: ['a', 'b', 'c', 'd'] }), node('match_creatives')];
const base: Case = {
  offers: [40, 60, 80, 100, 70].map((priority, at) => ({ id: 'abcde'[at]!, priority, businessValue: 90 - 15 * at })),
  evidence: { offers: { a: [9, 11], b: [2, 3], c: [4, 60], d: [1, 1] } },
  models: [{ key: 'beta', modelType: 'thompson_bandit' }],
  modelStates: {
    beta: {
      arms: {
        a: { alpha: 5, beta: 3 },
        b: { alpha: 3, beta: 3 },
        c: { alpha: 1, beta: 2 },
        d: { alpha: 1, beta: 4 },
        e: { alpha: 2, beta: 2 },
      },
    },
  },
  request: { limit: 2 },
};

function world(source: Case): { readonly plan: Plan; readonly input: DecisionInput } {
  const read = readCase(JSON.parse(JSON.stringify({ name: 'x', expect: {}, ...base, ...source })) as Json);
  const plan = compile(read.snapshot);
  return { plan, input: read.input(plan) };
}

const slateOf = ({ program }: Plan, offerIds: readonly string[]): LoggedSlate => ({
  hasDraws: false,
  items: offerIds.map((offerId, at) => ({
    offerId,
    creativeId: program.offers.find(({ id }) => id === offerId)?.creatives[0]?.id ?? null,
    placementId: null,
    mandatory: false,
    rank: at + 1,
    probability: 1,
    estimated: false,
    creativeShare: 1,
  })),
});

const byPriority = node('score', { method: 'priority_weighted' });
const explore = { explore: { rate: 0.2, poolSize: 3 } };
const exact: Readonly<Record<string, Case>> = {
  'explore around topN': { nodes: [...begin, byPriority, node('rank')], flowConfig: explore },
  'explore around diversity': {
    nodes: [...begin, byPriority, node('rank', { method: 'diversity' })],
    flowConfig: explore,
  },
  'softmax inside explore': {
    nodes: [...begin, byPriority, node('rank', { method: 'explore_exploit', strategy: 'softmax', temperature: 0.4 })],
    flowConfig: explore,
  },
  'thompson, integrated': {
    nodes: [
      ...begin,
      node('score', { method: 'propensity', evidence: { offerMin: 1 } }),
      node('rank', { method: 'explore_exploit', strategy: 'thompson' }),
    ],
  },
};

for (const [name, source] of Object.entries(exact)) {
  test(`${name}: the probabilities of all answers of two items sum to 1, whoever gave them`, () => {
    const { plan, input } = world(source);
    let sum = 0;
    for (const first of 'abcd') {
      for (const second of 'abcd') {
        if (first === second) continue;
        const { places, next } = weigh(plan, input, slateOf(plan, [first, second]));
        const product = places.reduce((so, { probability }) => so * probability, 1);
        // Items outside of the pool have no chance, but the walk continues.
        assert.equal(places.length, 2, `${first}${second}`);
        assert.deepEqual(next, []);
        sum += product;
      }
    }
    assert.ok(Math.abs(sum - 1) < 1e-12, `${sum}`);
  });
}

test('without randomness, probabilities are 0 or 1, and the plan’s own item is named', () => {
  const { plan, input } = world({ nodes: [...begin, byPriority, node('rank')] });
  const same = weigh(plan, input, slateOf(plan, ['d', 'c']));
  assert.deepEqual(
    same.places.map(({ probability }) => probability),
    [1, 1],
  );
  const other = weigh(plan, input, slateOf(plan, ['d', 'a']));
  assert.deepEqual(
    other.places.map(({ probability }) => probability),
    [1],
  );
  assert.deepEqual(
    other.next.map(({ offerId, probability }) => [offerId, probability]),
    [['c', 1]],
  );
  const longer = weigh(plan, input, slateOf(plan, ['d']));
  assert.deepEqual([longer.places.length, longer.next[0]?.offerId], [1, 'c']);
  const unknown = weigh(plan, input, slateOf(plan, ['none']));
  assert.deepEqual([unknown.places.length, unknown.next[0]?.offerId], [0, 'd']);
});

test('an order drawn as a whole has no probabilities per slot', () => {
  const { plan, input } = world({
    nodes: [...begin, byPriority, node('rank'), node('group', { allocation: 'optimal' })],
    flowConfig: explore,
    channels: [{ id: 'web', channelType: 'web' }],
    placements: [
      { id: 'p', channelId: 'web' },
      { id: 'q', channelId: 'web' },
    ],
    creatives: [...'abcd'].map((id) => ({ id: `${id}-web`, offerId: id, channelId: 'web' })),
    request: {
      placements: [
        { placementId: 'p', limit: 1 },
        { placementId: 'q', limit: 1 },
      ],
    },
  } as Case);
  assert.equal(weigh(plan, input, slateOf(plan, ['d'])).unknown, 'order_drawn');
});

const propensity = (modelKey: string): Config => ({ method: 'propensity', modelKey });
const drawn: Readonly<Record<string, Case>> = {
  'a bandit': { nodes: [...begin, node('score', propensity('beta')), node('rank')] },
  'a hook behind a bandit': {
    nodes: [
      ...begin,
      node('score', propensity('beta')),
      node('extension_point', {
        hook: 'score_override',
        kind: 'formula',
        formula: 'score.total * (1 + offer.priority / 50)',
      }),
      node('rank'),
    ],
  },
  'objectives over a bandit': {
    nodes: [
      ...begin,
      node('score', propensity('beta')),
      node('optimize', { weights: { propensity: 0.6, businessValue: 0.4 }, combine: 'blend' }),
      node('rank'),
    ],
  },
  'a bandit in a called flow': {
    nodes: [...begin, byPriority, node('call_flow', { flowKey: 'inner', mode: 'narrow' }), node('rank')],
    subFlows: [
      {
        key: 'inner',
        nodes: [node('inventory', { scope: 'offers', offerIds: ['a'] }), node('score', propensity('beta'))],
      },
    ],
  } as Case,
};

for (const [name, source] of Object.entries(drawn)) {
  test(`${name}: repeated draws pick as often as decisions estimate`, inTurn(name, 3), () => {
    const { plan, input } = world({ ...source, request: { limit: 1 } });
    // Each decision repeats its draw 1,000 times; hits are counted with one more, over as many more as there are offers.
    const estimates = new Map<string, { sum: number; times: number }>();
    for (let number = 0; number < 60; number++) {
      const [item] = decide(plan, { ...input, seed: number.toString(16).padStart(32, '0') }).items;
      const { probability, draws = 0 } = item!.selection;
      const { sum, times } = estimates.get(item!.offerId) ?? { sum: 0, times: 0 };
      const hits = probability * (draws + 4) - 1;
      estimates.set(item!.offerId, { sum: sum + hits / draws, times: times + 1 });
    }
    const { places } = weigh(plan, input, slateOf(plan, ['a']));
    const [place] = places;
    assert.equal(place!.method, 'repetitions');
    assertDistribution(place!, name);
    assert.ok(Math.abs(place!.hits! / 20_000 - place!.probability) < 1e-12);
    let compared = 0;
    for (const { offerId, probability } of place!.choices) {
      const { sum, times } = estimates.get(offerId) ?? { sum: 0, times: 0 };
      if (times < 5) continue;
      const spread = 5 * Math.sqrt(probability * (1 - probability) * (1 / (1_000 * times) + 1 / 20_000));
      assert.ok(Math.abs(sum / times - probability) < spread, `${offerId}: ${probability}, stored ${sum / times}`);
      compared += 1;
    }
    assert.ok(compared > 1);
  });
}

test('a bandit: 20,000 repetitions come near the integral, at the second place too', () => {
  const { plan, input } = world({ nodes: [...begin, node('score', propensity('beta')), node('rank')] });
  const { places } = weigh(plan, input, slateOf(plan, ['a', 'b']));
  const chances = new Float64Array(4);
  const one = new Float64Array(4).fill(1);
  const arms = {
    a: Float64Array.of(5, 3, 1, 1),
    b: Float64Array.of(3, 3, 2, 4),
    score: one,
    propensity: one,
    exponent: one,
  };
  winChances(arms, 4, chances);
  const first = places[0]!.choices;
  for (const [at, offerId] of [...'abcd'].entries()) {
    const counted = first.find((choice) => choice.offerId === offerId)?.probability ?? 0;
    assert.ok(
      Math.abs(counted - chances[at]!) < 5 * Math.sqrt(chances[at]! / 20_000),
      `${offerId}: ${counted} ${chances[at]}`,
    );
  }
  // Repetitions that put another offer first say nothing about the second place.
  assert.ok(places[1]!.hits! < places[0]!.hits!);
  assert.ok(Math.abs(places[1]!.probability - places[1]!.hits! / places[0]!.hits!) < 1e-9);
});
