import type { Json, Snapshot, SnapshotModel } from '@arbiter/engine';
import type { Chance } from '../../../packages/engine/test/corpus/chance.ts';

/** Models of every type, by chance: some of them, with and without settings. */
export function randomModels(chance: Chance): SnapshotModel[] {
  const card = (key: string): SnapshotModel => ({
    id: `id-${key}`,
    key,
    modelType: 'scorecard',
    config: {
      ...(chance.flip(0.7)
        ? { baseScore: chance.pick([0, 30, 50]), minScore: 0, maxScore: chance.pick([100, 80]) }
        : {}),
      normalization: chance.pick(['sigmoid', 'linear']),
      rules: chance.some<Json>(
        [
          { id: 'r1', field: 'age', operator: 'gte', value: 30, points: 20 },
          { id: 'r2', field: 'offer.priority', operator: 'gt', value: 50, points: 15.5 },
          { id: 'r3', field: 'customer.job', operator: 'in', value: ['cook', 'nurse'], points: -30 },
          { id: 'r4', field: 'margin', operator: 'lte', value: 5, points: 40 },
          { id: 'r5', field: 'where', operator: 'eq', value: 'home', points: 7 },
        ],
        0.6,
      ),
    },
    predictors: chance.flip(0.6)
      ? ['age', 'margin', { name: 'where', source: 'attributes.page', type: 'categorical', default: 'home' }]
      : [],
    names: [key],
  });
  const models: SnapshotModel[] = [
    card('card'),
    { ...card('points'), names: ['old-points', 'points'] },
    { id: 'id-ts', key: 'ts', modelType: 'thompson_bandit', config: {}, predictors: [], names: ['family', 'ts'] },
    {
      id: 'id-eg',
      key: 'eg',
      modelType: 'epsilon_greedy',
      config: chance.flip(0.6) ? { epsilon: chance.pick([0, 0.3, 1]), decayRate: chance.pick([0, 0.01]) } : {},
      predictors: [],
      names: ['eg'],
    },
    ...['bayesian', 'logistic_regression', 'online_learner', 'gradient_boosted'].map((modelType): SnapshotModel => {
      const key = modelType === 'gradient_boosted' ? 'trees' : modelType;
      const named = chance.some<Json>(predictors, 0.8);
      return { id: `id-${key}`, key, modelType, config: {}, predictors: named, names: [key] };
    }),
    {
      id: 'id-far',
      key: 'far',
      modelType: 'external_endpoint',
      config: {
        url: 'https://models.example.com/',
        ...(chance.flip(0.4) ? { fallbackScore: chance.pick([0, 0.3, 1]) } : {}),
      },
      predictors: chance.some<Json>(predictors, 0.5),
      names: ['far'],
    },
  ];
  return chance.some(models, 0.6);
}

const predictors: readonly Json[] = [
  'age',
  'margin',
  'offer.priority',
  { name: 'job', source: 'customer.job', type: 'categorical' },
  { name: 'where', source: 'attributes.page', type: 'categorical', default: 'home' },
];
const categories = { job: ['cook', 'nurse'], where: ['checkout', 'home'] };

/** What a model may have learned; null: its type learns nothing. */
export function randomState(
  chance: Chance,
  { modelType }: SnapshotModel,
  offers: Snapshot['offers'],
): { readonly [key: string]: Json } | null {
  const arms = (arm: () => Json): Json => Object.fromEntries(chance.some(offers, 0.7).map(({ id }) => [id, arm()]));
  switch (modelType) {
    case 'thompson_bandit':
      return { arms: arms(() => ({ alpha: 1 + chance.int(0, 9), beta: 1 + chance.int(0, 9) })) };
    case 'epsilon_greedy':
      return {
        arms: arms(() => {
          const pulls = chance.int(0, 20);
          return { totalReward: chance.int(0, pulls), pulls };
        }),
        totalPulls: chance.int(0, 300),
        epsilon: chance.pick([0, 0.1, 0.5, 1]),
        decayRate: chance.pick([0, 0.01]),
      };
    case 'bayesian':
      return countsState(chance);
    case 'logistic_regression':
      return {
        bias: share(chance),
        weights: weights(chance),
        means: { age: 40, margin: 8, 'offer.priority': 50 },
        stds: { age: chance.pick([0, 12]), margin: 4, 'offer.priority': 30 },
        categories,
      };
    case 'online_learner':
      return {
        bias: share(chance),
        weights: weights(chance),
        n: 9,
        stats: {
          age: { n: 9, mean: 40, m2: chance.pick([0, 900]) },
          'offer.priority': { n: 9, mean: 50, m2: 8_000 },
        },
      };
    case 'gradient_boosted':
      return { feature_names: features, objective: 'binary', init_score: share(chance), trees: trees(chance) };
    default:
      return null;
  }
}

const share = (chance: Chance): number => chance.int(-20, 20) / 10;

const weights = (chance: Chance): Json =>
  Object.fromEntries(
    ['age', 'margin', 'offer.priority', 'job=cook', 'job=nurse', 'where=home'].map((name) => [name, share(chance)]),
  );

function countsState(chance: Chance): { readonly [key: string]: Json } {
  const [pos, neg] = [chance.int(0, 60), chance.int(0, 90)];
  const counts = (bins: number): Json => ({
    pos: Array.from({ length: bins }, () => chance.int(0, pos)),
    neg: Array.from({ length: bins }, () => chance.int(0, neg)),
  });
  return {
    n: pos + neg,
    classes: { pos, neg },
    binEdges: { age: [30, 45], margin: [5], 'offer.priority': [20, 40, 70] },
    categories,
    counts: {
      ...{ age: counts(3), margin: counts(2), 'offer.priority': counts(4) },
      ...{ job: counts(2), ...(chance.flip(0.7) ? { where: counts(2) } : {}) },
    },
  };
}

const features: readonly string[] = ['age', 'margin', 'offer.priority', 'job', 'where'];

const trees = (chance: Chance): Json[] =>
  Array.from({ length: chance.int(1, 6) }, () => ({ tree_structure: subtree(chance, chance.int(0, 3)) }));

function subtree(chance: Chance, depth: number): Json {
  if (depth === 0 || chance.flip(0.2)) return { leaf_value: share(chance) / 2 };
  const at = chance.int(0, features.length - 1);
  const own = Object.entries(categories).find(([name]) => name === features[at])?.[1];
  const rule: Json =
    own === undefined
      ? {
          threshold: chance.pick([0, 5, 30, 50]),
          decision_type: chance.pick(['<=', '<']),
          missing_type: chance.pick(['none', 'zero', 'nan']),
        }
      : { threshold: chance.some(own, 0.6).concat('elsewhere'), decision_type: '==' };
  return {
    split_feature: chance.flip(0.5) ? at : features[at]!,
    ...rule,
    ...(chance.flip(0.6) ? { default_left: chance.flip(0.5) } : {}),
    left_child: subtree(chance, depth - 1),
    right_child: subtree(chance, depth - 1),
  };
}
