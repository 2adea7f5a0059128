import type { FlowNode, Json, Snapshot, SnapshotModel } from '../index.ts';
import { type Chance, randomTest, type World } from './test-world.ts';

// Worlds for the tests of why-not whose flows branch, call others, share placements and ask models and budgets.

const isWordy = (operator: string): boolean =>
  ['between', 'within_last_days', 'not_within_last_days', 'exists'].includes(operator);

/** A condition of a node on the customer or the request. */
function condition(chance: Chance): Json {
  const { field, operator, value = null } = randomTest(chance);
  if (isWordy(operator)) return { field: 'customer.age', operator: 'gte', value: chance.int(18, 40) };
  return { field: field.includes('.') ? field : `customer.${field}`, operator, value };
}

const filterOf = (chance: Chance, id: string): FlowNode => ({
  id,
  type: 'filter',
  config: { conditions: [condition(chance)] },
});

const score: FlowNode = { id: 'score', type: 'score', config: { method: 'priority_weighted' } };

/** Returns the world with more nodes in its flow, and with what they read. */
export function withBranches(chance: Chance, world: World): World {
  const { snapshot } = world;
  const { offers } = snapshot;
  const half = offers.slice(0, Math.ceil(offers.length / 2)).map(({ id }) => id);
  const subFlows: Snapshot['subFlows'] = [
    {
      id: 'id-lists',
      key: 'lists',
      version: 1,
      config: {
        version: 2,
        nodes: [
          { id: 'inventory', type: 'inventory', config: { scope: 'offers', offerIds: half } },
          filterOf(chance, 'own'),
          score,
        ],
      },
    },
    {
      id: 'id-narrows',
      key: 'narrows',
      version: 1,
      config: { version: 2, nodes: [{ id: 'inventory', type: 'inventory' }, filterOf(chance, 'own'), score] },
    },
  ];
  const nodes = snapshot.flow.config.nodes.flatMap((node): FlowNode[] => {
    if (node.type === 'score' && chance.flip(0.4))
      return [{ ...node, config: { method: 'propensity', modelKey: chance.pick(['card', 'eg']) } }];
    if (node.type === 'qualify') {
      const called = chance.pick<FlowNode[]>([
        [],
        [{ id: 'call', type: 'call_flow', config: { flowKey: 'narrows' } }],
        [{ id: 'call', type: 'call_flow', config: { flowKey: 'lists', mode: 'merge' } }],
      ]);
      const action = (): Json =>
        chance.pick<Json>([
          { action: 'continue' },
          { action: 'skip_to', nodeId: 'score' },
          { action: 'call_flow', flowKey: 'narrows' },
          { action: 'drop_all' },
        ]);
      const branch: FlowNode = {
        id: 'branch',
        type: 'conditional',
        config: { conditions: [condition(chance)], onTrue: action(), onFalse: action() },
      };
      return [...called, ...(chance.flip(0.6) ? [branch] : []), node];
    }
    if (node.type === 'rank' && chance.flip(0.4))
      return [node, { id: 'group', type: 'group', config: { allocation: chance.pick(['greedy', 'optimal']) } }];
    return [node];
  });
  const withGroup = nodes.some(({ type }) => type === 'group');
  const placements = ['top', 'side'].map((id) => ({
    id,
    channelId: 'web',
    name: id,
    key: id,
    slotType: 'card',
    maxSlots: chance.int(1, 2),
  }));
  const volumes = offers.flatMap(({ id }) =>
    chance.flip(0.5)
      ? [
          {
            scope: 'offer' as const,
            scopeId: id,
            impressions: chance.int(3, 5),
            spentCents: 0,
            dayImpressions: chance.int(1, 3),
            daySpentCents: 0,
          },
        ]
      : [],
  );
  const models: SnapshotModel[] = [
    {
      id: 'id-card',
      key: 'card',
      modelType: 'scorecard',
      config: {
        baseScore: 40,
        normalization: 'linear',
        rules: [
          { id: 'age', field: 'customer.age', operator: 'gte', value: chance.int(20, 50), points: 30 },
          { id: 'tier', field: 'customer.tier', operator: 'eq', value: 'gold', points: 25 },
        ],
      },
      predictors: [],
      names: ['card'],
    },
    { id: 'id-eg', key: 'eg', modelType: 'epsilon_greedy', config: {}, predictors: [], names: ['eg'] },
  ];
  const arms = Object.fromEntries(offers.map(({ id }) => [id, { totalReward: chance.int(0, 8), pulls: 8 }]));
  return {
    ...world,
    snapshot: {
      ...snapshot,
      flow: { ...snapshot.flow, config: { ...snapshot.flow.config, nodes } },
      subFlows,
      models,
      placements: withGroup ? placements : [],
      offers: offers.map((offer) => ({
        ...offer,
        ...(chance.flip(0.25)
          ? { budget: chance.pick([{ lifetimeMaxImpressions: 4 }, { dailyMaxImpressions: 2 }]) }
          : {}),
      })),
      policies: chance.flip(0.4)
        ? [
            ...snapshot.policies,
            {
              id: 'exhausted',
              name: 'Exhausted',
              ruleType: 'budget_exhausted',
              config: { budgetField: 'impressions', threshold: 4 },
              scopes: [{ scope: 'offer', scopeId: chance.pick(offers).id }],
              priority: 50,
              createdAt: 9,
            },
          ]
        : snapshot.policies,
      rules: chance.flip(0.4)
        ? [
            ...snapshot.rules,
            {
              id: 'threshold',
              name: 'Threshold',
              ruleType: 'propensity_threshold',
              config: { minScore: chance.pick([0.4, 0.6, 0.7]), modelKey: chance.pick(['card', 'eg']) },
              scopes: [{ scope: 'offer', scopeId: chance.pick(offers).id }],
              priority: 50,
              stage: 'eligibility',
              createdAt: 99,
            },
          ]
        : snapshot.rules,
    },
    volumes,
    modelStates: { eg: { hash: '0'.repeat(64), state: { arms, epsilon: 0.1, decayRate: 0, totalPulls: 0 } } },
    request: withGroup
      ? {
          ...world.request,
          placements: placements.map(({ id }) => ({ placementId: id, limit: null })),
        }
      : world.request,
  };
}
