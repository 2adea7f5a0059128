import type { DecisionInput, FlowNode, Json, ModelState, Plan, Snapshot, SnapshotModel } from '../../src/index.ts';
import { canonicalJson } from '../../src/index.ts';
import type { Chance } from './chance.ts';

/**
 * Makes the flows and a rule of a catalogue use models: each type, champions and challengers, shadows, and a missing
 * key.
 */
export function withModels(chance: Chance, snapshot: Snapshot): Snapshot {
  const asking = <T extends { readonly nodes: readonly FlowNode[]; readonly flowConfig?: unknown }>(config: T): T => ({
    ...config,
    nodes: config.nodes.map((node) =>
      node.type === 'score' && chance.flip(0.8)
        ? { ...node, config: { ...node.config, ...modelSettings(chance, snapshot) } }
        : node,
    ),
  });
  const { flow, subFlows, rules } = snapshot;
  const threshold = {
    minScore: chance.int(2, 6) / 10,
    ...(chance.flip(0.6) ? { modelKey: chance.pick(named) } : {}),
    ...(chance.flip(0.3) ? { onMissing: 'fail' } : {}),
  };
  return {
    ...snapshot,
    flow: { ...flow, config: asking(flow.config) },
    ...(subFlows === undefined ? {} : { subFlows: subFlows.map((own) => ({ ...own, config: asking(own.config) })) }),
    rules: chance.flip(0.4)
      ? [
          ...rules,
          {
            id: 'rule-model',
            name: 'Likely enough',
            ruleType: 'propensity_threshold',
            stage: chance.pick(['eligibility', 'fit', 'match'] as const),
            scopes: [{ scope: 'global', scopeId: null }],
            priority: 3,
            createdAt: 99,
            config: threshold,
          },
        ]
      : rules,
    models: models(chance),
  };
}

/** What the plan's models have learned, and which of them aren't asked. `hashOf`: SHA-256 of a text, in hex. */
export function randomModelInput(
  chance: Chance,
  { offers }: Snapshot,
  { models }: Plan,
  hashOf: (text: string) => string,
): Pick<DecisionInput, 'modelStates' | 'openBreakers'> {
  const learning = models.filter(({ learns }) => learns);
  const arms = (arm: () => Json): Json => Object.fromEntries(chance.some(offers, 0.7).map(({ id }) => [id, arm()]));
  const stateOf = (type: string): Json =>
    type === 'thompson_bandit'
      ? { arms: arms(() => ({ alpha: chance.int(1, 40) / 2, beta: chance.int(1, 90) / 3 })) }
      : {
          arms: arms(() => {
            const pulls = chance.int(0, 30);
            return { pulls, totalReward: chance.int(0, pulls) };
          }),
          epsilon: chance.pick([0, 0.1, 0.6]),
          decayRate: chance.pick([0, 0.001, 0.1]),
          totalPulls: chance.int(0, 200),
        };
  const hashed = (state: Json): ModelState => ({ hash: hashOf(canonicalJson(state)), state });
  const open = chance.flip(0.1) ? chance.some(models, 0.5).map(({ key }) => key) : [];
  return {
    ...(learning.length === 0
      ? {}
      : { modelStates: Object.fromEntries(learning.map(({ key, type }) => [key, hashed(stateOf(type))])) }),
    ...(open.length === 0 ? {} : { openBreakers: open }),
  };
}

const named = ['card', 'bandit', 'greedy', 'family', 'gone'];

const modelSettings = (chance: Chance, { channels }: Snapshot): { readonly [key: string]: Json } => ({
  modelKey: chance.pick(named),
  ...(chance.flip(0.4) ? { propensitySource: chance.pick(['auto', 'adaptive_first', 'model_first']) } : {}),
  ...(chance.flip(0.2) ? { overrides: [{ channelId: chance.pick(channels).id, modelKey: chance.pick(named) }] } : {}),
  ...(chance.flip(0.2) ? { shadowModelKeys: chance.some(['card', 'bandit', 'greedy'], 0.6) } : {}),
  ...(chance.flip(0.3)
    ? {
        championChallenger: {
          enabled: chance.flip(0.8),
          champion: { modelKey: 'card', weight: 60 },
          challengers: [
            { modelKey: 'bandit', weight: 30 },
            { modelKey: chance.pick(['greedy', 'gone']), weight: 10 },
          ],
        },
      }
    : {}),
});

function models(chance: Chance): SnapshotModel[] {
  const rules: readonly Json[] = [
    { id: 'a', field: 'age', operator: 'gte', value: 40, points: 12.5 },
    { id: 'b', field: 'offer.priority', operator: 'gt', value: 50, points: 20 },
    { id: 'c', field: 'customer.job', operator: 'eq', value: 'cook', points: -17 },
    { id: 'd', field: 'page', operator: 'in', value: ['x', 'home'], points: 5 },
    { id: 'e', field: 'wealth', operator: 'lt', value: 1000, points: 9 },
  ];
  const scorecard = {
    rules: chance.some(rules, 0.7),
    ...(chance.flip(0.5) ? { normalization: 'linear' } : {}),
    ...(chance.flip(0.3) ? { baseScore: chance.int(0, 100), minScore: 10, maxScore: 90 } : {}),
  };
  const epsilon = chance.flip(0.5) ? { epsilon: chance.pick([0, 0.3, 1]), decayRate: 0.01 } : {};
  return [
    {
      id: 'model-card',
      key: 'card',
      modelType: 'scorecard',
      config: scorecard,
      predictors: ['age', { name: 'wealth', source: 'customer.balance', type: 'numeric', default: 11 }],
      names: ['card', 'family'],
    },
    { id: 'model-bandit', key: 'bandit', modelType: 'thompson_bandit', config: {}, predictors: [], names: ['bandit'] },
    {
      id: 'model-greedy',
      key: 'greedy',
      modelType: 'epsilon_greedy',
      config: epsilon,
      predictors: [],
      names: ['greedy'],
    },
  ];
}
