import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, compile, type Decision, decide, resultOf } from '../src/index.ts';
import { chanceOf } from './corpus/chance.ts';
import { randomInput } from './corpus/random-input.ts';
import { randomSnapshot } from './corpus/random-plan.ts';
import { unpackInput } from './corpus/record.ts';
import { utcClock } from './corpus/utc-clock.ts';

function checkItems({ items, slateProbability, draws }: Decision): void {
  assert.deepEqual(
    items.map(({ rank }) => rank),
    items.map((_, at) => at + 1),
  );
  for (const { score, selection, scoreComponents } of items) {
    assert.ok(Number.isFinite(score) && score >= 0, `score ${score}`);
    for (const component of Object.values(scoreComponents)) assert.ok(Number.isFinite(component));
    assert.ok(selection.probability > 0 && selection.probability <= 1, `probability ${selection.probability}`);
  }
  const drawn = draws ?? items.filter(({ mandatory }) => !mandatory).map(({ selection }) => selection);
  const product = drawn.reduce((all, { probability }) => all * probability, 1);
  assert.ok(Math.abs(product - slateProbability) < 1e-12, `${product} ${slateProbability}`);
}

test('random flows with groups, objectives and profiles: ranks, scores, chances; blocked offers stay away', () => {
  const seen = { group: 0, optimize: 0, both: 0, explored: 0, blocked: 0, items: 0 };
  for (let number = 0; number < 150; number++) {
    const chance = chanceOf('2'.repeat(32), `plan ${number}`);
    const snapshot = randomSnapshot(chance, () => []);
    const plan = compile(snapshot);
    const { group, optimize } = plan.program;
    for (let at = 0; at < 10; at++) {
      const input = unpackInput(randomInput(chance, snapshot, plan, number * 10 + at, utcClock));
      const decision = decide(plan, input);
      const traced = decide(plan, input, { trace: true });
      assert.equal(canonicalJson(resultOf(traced)), canonicalJson(resultOf(decision)));
      checkItems(decision);
      const shown = new Set(decision.items.map(({ offerId }) => offerId));
      for (const { offerId, reason } of traced.trace?.dropped ?? []) {
        seen.blocked += 1;
        assert.ok(!shown.has(offerId), `${offerId} left with ${reason} and is in the answer`);
      }
      if (
        decision.placementResults !== null &&
        group?.uniqueOffers === true &&
        plan.program.response.format !== 'grouped'
      ) {
        assert.equal(shown.size, decision.items.length, 'an offer once');
      }
      seen.items += decision.items.length;
      if (group !== null && decision.placementResults !== null && decision.items.length > 0) seen.group += 1;
      if (optimize !== null && decision.items.length > 0) seen.optimize += 1;
      if (group !== null && optimize !== null) seen.both += 1;
      if (group !== null && decision.explored) seen.explored += 1;
    }
  }
  assert.ok(Math.min(...Object.values(seen)) >= 10, JSON.stringify(seen));
});

test('exploration in a group draws as often as stated', () => {
  const shares = new Map<string, { count: number; probability: number }>();
  const rounds = 4000;
  const offers = ['A', 'B', 'C', 'D'];
  const base = randomSnapshot(chanceOf('3'.repeat(32), 'shape'), () => []);
  const plan = compile({
    ...base,
    tenant: { ...base.tenant, maxOffersPerDecision: 50, holdoutPercentage: 0 },
    flow: {
      ...base.flow,
      couplingOverride: null,
      config: {
        version: 2,
        nodes: [
          { id: 'i', type: 'inventory' },
          { id: 'm', type: 'match_creatives' },
          { id: 's', type: 'score', config: { method: 'propensity' } },
          { id: 'g', type: 'group', config: { placementWeights: { hero: 2 } } },
        ],
        flowConfig: { explore: { rate: 0.2, poolSize: 3 } },
      },
    },
    channels: [{ id: 'web', name: 'Web', channelType: 'web', impressionMode: 'implicit', couplingMode: 'partial' }],
    placements: ['hero', 'side'].map((id) => ({
      id,
      channelId: 'web',
      name: id,
      key: id,
      slotType: 'banner',
      maxSlots: 1,
    })),
    inactivePlacements: [],
    rules: [],
    policies: [],
    offers: offers.map((id) => ({
      ...base.offers[0]!,
      id,
      status: 'active' as const,
      mandatory: false,
      emergencyExcluded: false,
      schedule: null,
      eligibility: null,
      frequencyCaps: {},
    })),
    creatives: offers.map((offerId) => ({
      id: `${offerId}-c`,
      name: offerId,
      offerId,
      channelId: 'web',
      placementId: null,
      templateType: 'banner',
      content: {},
      personalization: [],
      constraints: {},
      abTestVariant: null,
      weight: 100,
    })),
  });
  const input = unpackInput(randomInput(chanceOf('4'.repeat(32), 'input'), base, plan, 1, utcClock));
  const request = {
    ...input.request,
    channel: null,
    channelId: null,
    placement: null,
    excludeOffers: [],
    excludeCreatives: [],
    placements: ['hero', 'side'].map((placementId) => ({ placementId, limit: null })),
    attributes: { propensityScores: { A: 0.9, B: 0.8, C: 0.7, D: 0.6 } },
  };
  const { quotaLeft: _quota, soldOut: _sold, ...rest } = input;
  for (let round = 0; round < rounds; round++) {
    const seed = round.toString(16).padStart(32, '0');
    const { items } = decide(plan, { ...rest, seed, request, suppressions: [] });
    assert.equal(items.length, 2);
    const first = items[0]!;
    // The first of the ranked list is in the placement with the highest weight.
    const known = shares.get(first.offerId) ?? { count: 0, probability: first.selection.probability };
    assert.equal(known.probability, first.selection.probability);
    known.count += 1;
    shares.set(first.offerId, known);
  }
  const total = [...shares.values()].reduce((sum, { probability }) => sum + probability, 0);
  assert.ok(Math.abs(total - 1) < 1e-12, `${total}`);
  const chiSquare = [...shares.values()].reduce((sum, { count, probability }) => {
    const expected = probability * rounds;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
  assert.ok(chiSquare < 13.8, `chi square ${chiSquare} of two degrees, p 0.001`);
});
