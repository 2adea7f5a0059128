import type { DecisionInput, FlowNode, Json, Plan, Snapshot, SnapshotRule } from '@arbiter/engine';
import type { Chance } from '../../../packages/engine/test/corpus/chance.ts';
import type { randomNodes } from '../../../packages/engine/test/corpus/random-flow.ts';
import { randomModels, randomState } from './random-models.ts';

type Config = { readonly [key: string]: Json };

/**
 * Adds nodes to the flow, called flows, models and profiles: everything that a plan may have. `makeNodes` returns the
 * usual nodes.
 */
export function withFeatures(chance: Chance, made: Snapshot, makeNodes: typeof randomNodes): Snapshot {
  const models = chance.flip(0.6) ? randomModels(chance) : [];
  const withModels = models.length > 0 ? { ...made, models } : made;
  const subFlows = calledFlows(chance, withModels, makeNodes);
  const { config } = made.flow;
  const scored = withScores(chance, withModels, config.nodes);
  const nodes = chance.flip(0.7) ? branched(chance, scored) : scored;
  const rules = models.length > 0 && chance.flip(0.4) ? [...made.rules, threshold(chance)] : made.rules;
  return {
    ...withModels,
    tenant: chance.flip(0.15) ? { ...made.tenant, defaultArbitrationProfileId: 'profile2' } : made.tenant,
    ...(made.rankingProfiles === undefined
      ? {}
      : {
          rankingProfiles: [
            ...made.rankingProfiles,
            { id: 'profile2', weights: { relevance: 1, emphasis: 0.5 } },
            { id: 'profile3', weights: { revenue: 1 } },
          ],
        }),
    flow: { ...made.flow, config: { ...config, nodes } },
    offers: chance.flip(0.25) ? alike(chance, made.offers) : made.offers,
    rules,
    subFlows,
  };
}

/** Offers of equal worth, so that ties decide. */
const alike = (chance: Chance, offers: Snapshot['offers']): Snapshot['offers'] =>
  offers.map((offer) =>
    chance.flip(0.7) ? { ...offer, priority: 50, businessValue: 40, margin: 5, revenueValue: 100 } : offer,
  );

/** Flows that call each other: one in a circle, and a chain as long as may be, and longer. */
function calledFlows(chance: Chance, rows: Snapshot, makeNodes: typeof randomNodes): NonNullable<Snapshot['subFlows']> {
  const made = (key: string, more: readonly FlowNode[]) => {
    const random = makeNodes(chance, rows, chance.flip(0.5));
    const nodes = withScores(chance, rows, random.nodes);
    return {
      id: `id-${key}`,
      key,
      version: 1,
      config: { version: 2 as const, ...random, nodes: placed(1, nodes, more) },
    };
  };
  const link = (at: number): FlowNode => callOf(chance, 'next', `link${at}`, 'narrow');
  return [
    made('inner', []),
    ...[1, 2, 3, 4, 5, 6].map((at) => ({
      id: `id-link${at}`,
      key: `link${at}`,
      version: at,
      config: {
        version: 2 as const,
        nodes: [
          { id: 'i', type: 'inventory' },
          ...(at === 6 ? [] : [link(at + 1)]),
          {
            id: 'f',
            type: 'filter',
            config: { conditions: [{ field: 'offer.priority', operator: 'neq', value: at * 5 }] },
          },
        ],
        flowConfig: { scoring: { method: 'priority_weighted' } },
      },
    })),
    made('outer', chance.flip(0.5) ? [callOf(chance, 'call', chance.pick(['inner', 'inner', 'ring', 'gone']))] : []),
    made('ring', [callOf(chance, 'round', chance.pick(['ring', 'outer', 'flow']))]),
  ];
}

const callOf = (chance: Chance, id: string, flowKey: string, mode?: string): FlowNode => ({
  id,
  type: 'call_flow',
  config: {
    flowKey,
    ...(mode === undefined && chance.flip(0.3)
      ? {}
      : { mode: mode ?? chance.pick(['narrow', 'merge', 'merge', 'replace']) }),
  },
});

const called = (chance: Chance): string =>
  chance.pick(['inner', 'inner', 'outer', 'outer', 'ring', 'link1', 'link2', 'gone']);

function branched(chance: Chance, nodes: readonly FlowNode[]): readonly FlowNode[] {
  let made = nodes;
  const first = () =>
    chance.int(
      1,
      Math.max(
        1,
        made.findIndex(({ type }) => later.includes(type)),
      ),
    );
  if (chance.flip(0.35)) made = placed(first(), made, [hook(chance, 'pre_score')]);
  if (chance.flip(0.5)) {
    // Rules on creatives wait for matching, so where creatives are matched determines who is in the list when another
    // is merged.
    if (made.every(({ type }) => type !== 'match_creatives'))
      made = placed(1, made, [{ id: 'match', type: 'match_creatives', config: { requireCreative: false } }]);
    made = placed(first(), made, [callOf(chance, 'call1', called(chance))]);
  }
  if (chance.flip(0.6)) made = placed(1, made, [conditional(chance, 'branch2', made)]);
  if (chance.flip(0.4)) made = placed(1, made, [conditional(chance, 'branch1', made)]);
  if (made.some(({ type }) => type === 'score')) {
    if (chance.flip(0.3)) made = behind(made, 'score', callOf(chance, 'call2', called(chance)));
    if (chance.flip(0.35))
      made = behind(
        made,
        made.some(({ type }) => type === 'optimize') ? 'optimize' : 'score',
        hook(chance, 'score_override'),
      );
  }
  if (chance.flip(0.3) && made.some(({ type }) => type === 'rank')) {
    made = behind(made, made.some(({ type }) => type === 'group') ? 'group' : 'rank', hook(chance, 'post_rank'));
  }
  if (chance.flip(0.2) && made.some(({ type }) => type === 'compute')) {
    made = behind(made, 'compute', callOf(chance, 'call3', chance.pick(['inner', 'outer'])));
  }
  return made;
}

const later = ['score', 'optimize', 'rank', 'group', 'compute', 'set_properties', 'response'];

const placed = (at: number, nodes: readonly FlowNode[], more: readonly FlowNode[]): readonly FlowNode[] => [
  ...nodes.slice(0, at),
  ...more,
  ...nodes.slice(at),
];

const behind = (nodes: readonly FlowNode[], type: string, node: FlowNode): readonly FlowNode[] =>
  placed(nodes.findIndex((each) => each.type === type) + 1, nodes, [node]);

function conditional(chance: Chance, id: string, nodes: readonly FlowNode[]): FlowNode {
  const end = nodes.findIndex(({ type }) => later.includes(type));
  const targets = nodes.slice(1, end < 0 ? nodes.length : end + 1);
  const action = (): Json => {
    const word = chance.pick(['continue', 'skip_to', 'skip_to', 'call_flow', 'call_flow', 'drop_all']);
    if (word === 'skip_to' && targets.length > 0) return { action: word, nodeId: chance.pick(targets).id };
    if (word === 'call_flow') return { action: word, flowKey: called(chance) };
    return { action: word === 'drop_all' && chance.flip(0.3) ? word : 'continue' };
  };
  const conditions: readonly Json[] = [
    { field: 'customer.age', operator: 'gte', value: 40 },
    { field: 'request.context.page', operator: 'eq', value: 'x' },
    { field: 'customer.acc_tier', operator: 'eq', value: 'gold' },
    { field: 'attributes.most', operator: 'lt', value: 50 },
    { field: 'channel.channelType', operator: 'neq', value: 'web' },
  ];
  return {
    id,
    type: 'conditional',
    config: {
      ...(chance.flip(0.9) ? { conditions: chance.some(conditions, 0.4) } : {}),
      ...(chance.flip(0.7) ? { combinator: chance.pick(['AND', 'OR']) } : {}),
      ...(chance.flip(0.9) ? { onTrue: action() } : {}),
      ...(chance.flip(0.7) ? { onFalse: action() } : {}),
    },
  };
}

const formulas = {
  pre_score: [
    'offer.priority > 30',
    'customer.age / (offer.priority - 50)',
    'fee > 5',
    'coalesce(gain, 0) >= 0 ? 1 : "x"',
    'offer.productType',
    'contains(offer.tags, "vip") || offer.margin >= 5',
  ],
  score_override: [
    'score.total * 2',
    '1 / score.rank',
    'score.relevance - 0.5',
    'sqrt(score.propensity) * score.fitMultiplier',
    'offer.margin',
    'if(offer.productType == "loan", null, score.impact + score.emphasis)',
  ],
  post_rank: [
    '0 - score.total',
    'customer.age - offer.priority',
    'score.rank == 2 ? null : 1',
    'offer.margin',
    '-score.rank',
  ],
};

function hook(chance: Chance, name: keyof typeof formulas): FlowNode {
  const kind = chance.pick(['none', 'formula', 'formula', 'formula', 'formula', 'webhook']);
  return {
    id: `hook-${name}`,
    type: 'extension_point',
    config: {
      hook: name,
      kind,
      ...(kind === 'formula' ? { formula: chance.pick(formulas[name]) } : {}),
      ...(kind === 'webhook' ? { url: 'https://hooks.example.com/' } : {}),
      ...(chance.flip(0.4) ? { onError: chance.pick(['continue', 'drop']) } : {}),
    },
  };
}

/** Score nodes with models, profiles and thresholds, and objectives of more kinds. */
function withScores(
  chance: Chance,
  { models = [], channels, categories }: Snapshot,
  nodes: readonly FlowNode[],
): readonly FlowNode[] {
  const named = () => chance.pick([...models.flatMap(({ names }) => names), 'nobody']);
  const own = (): Config => {
    if (models.length === 0 || !chance.flip(0.85)) return {};
    return {
      modelKey: named(),
      ...(chance.flip(0.4) ? { propensitySource: chance.pick(['auto', 'adaptive_first', 'model_first']) } : {}),
      ...(chance.flip(0.45) ? { championChallenger: champion(chance, named) } : {}),
      // Gates ask for propensities before creatives are matched where no node matches them.
      ...(chance.flip(0.2) && nodes.some(({ type }) => type === 'match_creatives')
        ? { overrides: [{ channelId: chance.pick(channels).id, modelKey: named() }] }
        : {}),
      ...(chance.flip(0.5) ? { method: 'propensity' } : {}),
    };
  };
  const profiles = ['profile0', 'profile1', 'profile2', 'profile3'];
  const strategies = (): Config =>
    chance.flip(0.2)
      ? {
          strategyOverrides: [
            {
              scope: 'category',
              value: chance.pick(categories.flatMap(({ id, name }) => [id, name])),
              profileId: chance.pick(profiles),
            },
            { scope: 'productType', value: 'card', profileId: chance.pick(profiles) },
          ],
        }
      : {};
  const objectives = (): Config =>
    chance.flip(0.5)
      ? {
          profileId: null,
          weights: Object.fromEntries(
            chance
              .some(
                [
                  'propensity',
                  'relevance',
                  'impact',
                  'emphasis',
                  'revenue',
                  'margin',
                  'businessValue',
                  'engagement',
                  'conversion',
                  'recency',
                  'fatigue',
                  'fairness',
                ],
                0.4,
              )
              .concat('relevance')
              .map((name) => [name, chance.pick([0, 0.3, 1])] as const)
              .concat([['fairness', 0.7]]),
          ),
        }
      : {};
  return nodes.map((node) => {
    if (node.type === 'score') return { ...node, config: { ...node.config, ...own(), ...strategies() } };
    if (node.type !== 'optimize') return node;
    const { profileId, ...rest } = { ...node.config, ...objectives() };
    return { ...node, config: profileId === null || profileId === undefined ? rest : { ...rest, profileId } };
  });
}

function champion(chance: Chance, named: () => string): Config {
  const weight = chance.pick([0, 30, 50, 100]);
  const half = Math.floor((100 - weight) / 2);
  return {
    enabled: chance.flip(0.9),
    champion: { modelKey: named(), weight },
    challengers: [
      { modelKey: named(), weight: half },
      { modelKey: named(), weight: 100 - weight - half },
    ],
  };
}

function threshold(chance: Chance): SnapshotRule {
  return {
    id: 'threshold',
    name: 'Threshold',
    ruleType: 'propensity_threshold',
    config: {
      minScore: chance.pick([0.2, 0.4, 0.5, 0.91]),
      ...(chance.flip(0.6)
        ? {
            [chance.pick(['modelKey', 'model'])]: chance.pick([
              'card',
              'old-points',
              'ts',
              'eg',
              'trees',
              'far',
              'nobody',
            ]),
          }
        : {}),
      ...(chance.flip(0.4) ? { onMissing: chance.pick(['pass', 'fail']) } : {}),
    },
    scopes: [{ scope: 'global', scopeId: null }],
    priority: 50,
    stage: chance.pick(['eligibility', 'fit', 'match']),
    createdAt: 9,
  };
}

/** What the plan's models have learned, which of them don't answer, and the webhooks' responses. */
export function withStates(
  chance: Chance,
  { models = [], offers }: Snapshot,
  plan: Plan,
  input: DecisionInput,
): DecisionInput {
  const states = models.flatMap((model) => {
    const state = chance.flip(0.1) ? null : randomState(chance, model, offers);
    return state === null ? [] : [[model.key, { hash: '0'.repeat(64), state }] as const];
  });
  const keys = models.map(({ key }) => key);
  const open = chance.flip(0.3) ? chance.some(keys, 0.5) : [];
  const answers = plan.webhooks.map(({ nodeId }) => [
    nodeId,
    chance.flip(0.3)
      ? { error: chance.pick(['timeout', 'status_500']) }
      : {
          candidates: chance.some(offers, 0.6).map(({ id }) => ({
            offerId: id,
            score: chance.flip(0.5) ? chance.int(0, 100) / 100 : null,
            drop: chance.flip(0.2),
          })),
        },
  ]);
  const byModel = keys.length > 0 && chance.flip(0.15) ? { [chance.pick([...keys, 'old-points'])]: 0.4 } : {};
  const { attributes } = input.request;
  const given = attributes.propensityScores;
  const scores = { ...(typeof given === 'object' && !Array.isArray(given) ? given : {}), ...byModel };
  return {
    ...input,
    ...(states.length > 0 ? { modelStates: Object.fromEntries(states) } : {}),
    ...(open.length > 0 ? { openBreakers: open } : {}),
    ...(answers.length > 0 ? { external: Object.fromEntries(answers) } : {}),
    request:
      Object.keys(byModel).length === 0
        ? input.request
        : { ...input.request, attributes: { ...attributes, propensityScores: scores } },
  };
}
