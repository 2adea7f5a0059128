import type { Body, Made } from './world.ts';

type Make = (path: string, body: Body) => Promise<string>;
type Must = (method: string, path: string, body: unknown, status: number) => Promise<Made>;
type AddFlow = (key: string, nodes: readonly object[], flowConfig?: Body, more?: Body) => Promise<string>;

interface Named {
  readonly web: string;
  readonly hero: string;
  readonly side: string;
  readonly cards: string;
  readonly loans: string;
  readonly offers: readonly string[];
  /** Address that answers a flow's webhook. */
  readonly hookUrl: string;
}

const bandit = 'greedy';
const node = (type: string, config: Body = {}) => ({ type, config });
const numbered = (...nodes: readonly { type: string; config: Body }[]) =>
  nodes.map((one, at) => ({ id: `n${at}`, ...one }));

/**
 * Adds models, ranking profiles, budgets, called flows, conditionals, extension points, group, optimize and
 * explore_exploit.
 */
export async function addRuntime(make: Make, must: Must, flow: AddFlow, named: Named) {
  const { web, hero, side, cards, loans, offers, hookUrl } = named;
  const rules = [
    { id: 'a', field: 'age', operator: 'gte', value: 35, points: 12.5 },
    { id: 'b', field: 'offer.priority', operator: 'gt', value: 50, points: 20 },
    { id: 'c', field: 'customer.job', operator: 'eq', value: 'baker', points: -17 },
  ];
  await make('algorithm-models', {
    key: 'card',
    name: 'Card',
    modelType: 'scorecard',
    status: 'active',
    config: { rules, normalization: 'linear' },
    predictors: ['age'],
  });
  await make('algorithm-models', { key: 'arms', name: 'Arms', modelType: 'thompson_bandit', status: 'active' });
  const greedy = await make('algorithm-models', {
    key: bandit,
    name: 'Greedy',
    modelType: 'epsilon_greedy',
    status: 'active',
    config: { epsilon: 0.3, decayRate: 0.01 },
  });
  await make('qualification-rules', {
    name: 'Likely',
    ruleType: 'propensity_threshold',
    stage: 'match',
    status: 'active',
    scope: 'offer',
    scopeId: offers[12],
    config: { minScore: 0.5, modelKey: 'card' },
  });
  const profile = await make('ranking-profiles', {
    key: 'growth',
    name: 'Growth',
    weights: { propensity: 0.4, impact: 1, margin: 0.3, fairness: 0.2 },
  });
  for (const [at, budget] of [
    [10, { lifetimeMaxImpressions: 12 }],
    [11, { dailyCapCents: 60, costPerImpressionCents: 7, costPerClickCents: 3 }],
  ] as const) {
    await must('PUT', 'offers', { id: offers[at], budget }, 200);
  }
  await make('contact-policies', {
    name: 'Budget of loans',
    ruleType: 'budget_exhausted',
    status: 'active',
    scope: 'category',
    scopeId: loans,
    config: { budgetField: 'impressions', threshold: 40 },
  });

  const score = (config: Body) => node('score', { method: 'formula', ...config });
  const start = [node('inventory', { scope: 'all' }), node('match_creatives'), node('contact_policy')];
  await flow(
    'inner',
    numbered(
      node('inventory', { scope: 'category', categoryIds: [cards] }),
      node('qualify'),
      score({ method: 'propensity' }),
    ),
  );
  const flows = [
    await flow(
      'modelled',
      numbered(
        ...start,
        node('qualify'),
        score({
          modelKey: 'card',
          propensitySource: 'model_first',
          championChallenger: {
            enabled: true,
            champion: { modelKey: 'card', weight: 50 },
            challengers: [
              { modelKey: 'arms', weight: 30 },
              { modelKey: bandit, weight: 20 },
            ],
          },
          shadowModelKeys: ['arms'],
        }),
        node('optimize', { profileId: profile, blendFactor: 0.6 }),
        node('rank', { method: 'explore_exploit', strategy: 'softmax', temperature: 0.4, poolSize: 5 }),
      ),
      { explore: { rate: 0.1 } },
    ),
    await flow(
      'placed',
      numbered(
        ...start,
        score({ modelKey: bandit, strategyProfileId: profile }),
        node('rank', { method: 'explore_exploit', explorationRate: 0.3 }),
        node('group', {
          allocation: 'optimal',
          placements: [
            { placementId: hero, maxSlots: 1 },
            { placementId: side, maxSlots: 2 },
          ],
          placementWeights: { [hero]: 1.5, [side]: 0.5 },
        }),
      ),
      {},
      { couplingOverride: 'partial' },
    ),
    await flow(
      'calling',
      numbered(
        node('inventory', { scope: 'all' }),
        node('conditional', {
          conditions: [{ field: 'customer.age', operator: 'gt', value: 35 }],
          combinator: 'AND',
          onTrue: { action: 'call_flow', flowKey: 'inner' },
          onFalse: { action: 'skip_to', nodeId: 'n4' },
        }),
        node('call_flow', { flowKey: 'inner', mode: 'merge' }),
        node('extension_point', {
          hook: 'pre_score',
          kind: 'formula',
          formula: 'offer.priority > 25',
          onError: 'continue',
        }),
        node('match_creatives'),
        node('extension_point', { hook: 'pre_score', kind: 'webhook', url: hookUrl, headers: { 'X-Token': 'secret' } }),
        score({ method: 'propensity' }),
        node('optimize', { weights: { revenue: 0.7, recency: 0.4, fatigue: 0.5 }, combine: 'replace' }),
        node('rank', { method: 'explore_exploit', strategy: 'ucb', ucbC: 0.5 }),
        node('extension_point', { hook: 'post_rank', kind: 'formula', formula: 'score.total * 2' }),
      ),
    ),
  ];
  await must('POST', 'flow-routes', { channelId: web, decisionFlowId: (await flowNamed(must, 'placed')).id }, 201);
  /** Teaches the bandit. Records refer to several of its states. */
  const teach = async (round: number) => {
    const arms = Object.fromEntries(offers.slice(0, 8).map((id, at) => [id, { pulls: at + round, totalReward: at }]));
    const modelState = { arms, epsilon: 0.3, decayRate: 0.01, totalPulls: 28 + 8 * round };
    await must('PUT', `algorithm-models/${greedy}`, { modelState }, 200);
  };
  return { flows, teach };
}

async function flowNamed(must: Must, key: string): Promise<Made> {
  const { data } = await must('GET', `decision-flows?search=${key}`, undefined, 200);
  return (data as Made[])[0]!;
}
