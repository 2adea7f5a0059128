import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from '../../../test/form.ts';
import {
  compile,
  type Decision,
  type DecisionInput,
  decide,
  type Json,
  type Plan,
  type Snapshot,
  type SnapshotModel,
} from '../src/index.ts';
import { type Chance, chanceOf } from './corpus/chance.ts';
import { randomExternal, withBranches } from './corpus/random-branches.ts';
import { randomInput } from './corpus/random-input.ts';
import { randomSnapshot } from './corpus/random-plan.ts';
import { unpackInput } from './corpus/record.ts';
import { utcClock } from './corpus/utc-clock.ts';

const models: readonly SnapshotModel[] = [
  { id: 'card', key: 'card', modelType: 'scorecard', config: { baseScore: 60 }, predictors: [], names: ['card'] },
  { id: 'tb', key: 'tb', modelType: 'thompson_bandit', config: {}, predictors: [], names: ['tb'] },
  { id: 'eg', key: 'eg', modelType: 'epsilon_greedy', config: {}, predictors: [], names: ['eg'] },
];

/** The flow with a model in its score stage, or two that share the customers. */
function withModels(chance: Chance, snapshot: Snapshot): Snapshot {
  const { config } = snapshot.flow;
  const modelKey = chance.pick(['card', 'tb', 'eg']);
  const shared = {
    enabled: true,
    champion: { modelKey: 'card', weight: 50 },
    challengers: [{ modelKey: chance.pick(['tb', 'eg']), weight: 50 }],
  };
  const more = { modelKey, ...(chance.flip(0.3) ? { championChallenger: shared } : {}) };
  const nodes = config.nodes.map((node) =>
    node.type === 'score' ? { ...node, config: { ...node.config, method: 'propensity', ...more } } : node,
  );
  return { ...snapshot, models, flow: { ...snapshot.flow, config: { ...config, nodes } } };
}

function statesFor(chance: Chance, { offers }: Snapshot): DecisionInput['modelStates'] {
  const arms = (arm: () => Json): Json => Object.fromEntries(chance.some(offers, 0.6).map(({ id }) => [id, arm()]));
  return {
    tb: {
      hash: 'tb',
      state: { arms: arms(() => ({ alpha: chance.int(1, 40), beta: chance.int(1, 40) })) },
    },
    eg: {
      hash: 'eg',
      state: {
        arms: arms(() => ({ pulls: 10, totalReward: chance.int(0, 10) })),
        epsilon: 0.5,
        decayRate: 0,
        totalPulls: 100,
      },
    },
  };
}

interface World {
  readonly snapshot: Snapshot;
  readonly plan: Plan;
  readonly inputs: readonly DecisionInput[];
}

/** A flow with all that there is, by chance: groups, objectives, models, called flows, hooks, exploration. */
function worldOf(number: number): World {
  const chance = chanceOf('7'.repeat(32), `world ${number}`);
  let snapshot = randomSnapshot(chance, () => []);
  if (chance.flip(0.5)) snapshot = withModels(chance, snapshot);
  if (chance.flip(0.5)) snapshot = withBranches(chance, snapshot);
  const plan = compile(snapshot);
  const inputs = Array.from({ length: 5 }, (_, at) => {
    const input = unpackInput(randomInput(chance, snapshot, plan, number * 5 + at, utcClock));
    const external = randomExternal(chance, snapshot, plan);
    return {
      ...input,
      ...(external === undefined ? {} : { external }),
      ...(snapshot.models === undefined ? {} : { modelStates: statesFor(chance, snapshot) }),
    };
  });
  return { snapshot, plan, inputs };
}

/** Kinds of flows, to show what a test covers. */
function kindsOf({ snapshot, plan }: World, decision: Decision): readonly string[] {
  const { group, optimize } = plan.program;
  const rank = snapshot.flow.config.nodes.find(({ type }) => type === 'rank')?.config?.method;
  return [
    ...(group === null || decision.placementResults === null ? [] : ['group']),
    ...(optimize === null ? [] : ['optimize']),
    ...(decision.items.some(({ modelKey }) => modelKey !== null) ? ['models'] : []),
    ...((decision.subFlows ?? []).length > 0 ? ['called'] : []),
    ...(rank === 'explore_exploit' ? ['explore_exploit'] : []),
    ...(decision.explored ? ['explored'] : []),
  ];
}

const reached = (): Record<string, number> => ({
  group: 0,
  optimize: 0,
  models: 0,
  called: 0,
  explore_exploit: 0,
  explored: 0,
});

/** Reasons for which an offer is not in the answer, whatever list it comes in with. */
const final = ['excluded', 'emergency_excluded', 'schedule', 'budget', 'stock', 'offer_frequency_cap', 'suppressed'];
/** Those of a node: a called flow with its own list may keep an offer that another list has lost. */
const ofNodes = [
  'qualification',
  'contact_policy',
  'filter',
  'conditional',
  'min_propensity',
  'min_score',
  'mandatory_cap',
];

test('any flow: ranks 1 to n, finite scores, probabilities in (0, 1], and no blocked offers', () => {
  const seen = { ...reached(), blocked: 0 };
  for (let number = 0; number < 250; number += 1) {
    const world = worldOf(number);
    for (const input of world.inputs) {
      const decision = decide(world.plan, input, { trace: true });
      const { items, draws, slateProbability, trace } = decision;
      assert.deepEqual(
        items.map(({ rank }) => rank),
        items.map((_item, at) => at + 1),
      );
      for (const { score, scoreComponents, selection } of items) {
        assert.ok(Number.isFinite(score) && score >= 0, `world ${number}: score ${score}`);
        for (const component of Object.values(scoreComponents)) assert.ok(Number.isFinite(component));
        assert.ok(selection.probability > 0 && selection.probability <= 1, `world ${number}: ${selection.probability}`);
      }
      const drawn = draws ?? items.filter(({ mandatory }) => !mandatory).map(({ selection }) => selection);
      const product = drawn.reduce((all, { probability }) => all * probability, 1);
      assert.ok(Math.abs(product - slateProbability) < 1e-12, `world ${number}: ${product} ${slateProbability}`);
      for (const { stage, candidates, passed } of trace?.pipeline ?? []) {
        // A call that merges brings further offers in.
        const most = stage.endsWith('call_flow') ? Number.POSITIVE_INFINITY : candidates;
        assert.ok(passed >= 0 && passed <= most, `world ${number}: ${stage} let ${passed} of ${candidates} through`);
      }
      const shown = new Set(items.map(({ offerId }) => offerId));
      const blocking = (decision.subFlows ?? []).length > 0 ? final : [...final, ...ofNodes];
      for (const { offerId, reason } of trace?.dropped ?? []) {
        if (!blocking.includes(reason)) continue;
        seen.blocked += 1;
        assert.ok(!shown.has(offerId), `world ${number}: ${offerId} left with ${reason} and is in the answer`);
      }
      if (items.length > 0) for (const kind of kindsOf(world, decision)) seen[kind as keyof typeof seen] += 1;
    }
  }
  assert.ok(Math.min(...Object.values(seen)) >= 20, JSON.stringify(seen));
});

test('any flow: a lower priority changes only the order, never who may be shown', inTurn('priority', 2), () => {
  const seen = reached();
  for (let number = 0; number < 250; number += 1) {
    const world = worldOf(number);
    const { snapshot, inputs, plan } = world;
    // If a formula or a condition reads the priority or the score itself, it matters.
    const text = JSON.stringify([snapshot.flow, snapshot.subFlows ?? [], snapshot.rules, snapshot.policies]);
    if (text.includes('offer.priority') || text.includes('"attribute":"priority"')) continue;
    const which = number % snapshot.offers.length;
    const offers = snapshot.offers.map((offer, at) =>
      at === which ? { ...offer, priority: Math.max(0, offer.priority - 40) } : offer,
    );
    const lowered = compile({ ...snapshot, offers });
    for (const input of inputs) {
      const decision = decide(plan, input, { trace: true });
      assert.deepEqual(gatesOf(decide(lowered, input, { trace: true })), gatesOf(decision), `world ${number}`);
      for (const kind of kindsOf(world, decision)) seen[kind] = (seen[kind] ?? 0) + 1;
    }
  }
  assert.ok(Math.min(...Object.values(seen)) >= 20, JSON.stringify(seen));
});

/** Returns who was dropped before the score stage, and why. */
function gatesOf({ trace }: Decision): Json {
  const { pipeline = [], dropped = [] } = trace ?? {};
  const scored = pipeline.findIndex(({ stage }) => stage === 'score');
  const before = new Set(pipeline.slice(0, Math.max(scored, 0)).map(({ stage, nodeId }) => `${stage} ${nodeId}`));
  return dropped
    .filter(({ stage, nodeId }) => before.has(`${stage} ${nodeId}`))
    .map(({ offerId, stage, reason }) => `${offerId} ${stage} ${reason}`)
    .sort();
}
