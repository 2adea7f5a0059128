import type { AlgorithmModelCreate } from '@arbiter/contract';
import type { PackExperiment } from '../pack.ts';

/** Reads columns of the members. */
const columns = ['age', 'city', 'tenure_days', 'tier', 'favourite', 'avg_ticket', 'visits_30d', 'churn_risk'];
const onMembers = {
  predictors: columns.map((name) => ({ name, source: `customer.${name}` })),
  targetSchemaKey: 'coffee_members',
  targetField: 'app_user',
};

export const coffeeModels: readonly AlgorithmModelCreate[] = [
  {
    key: 'coffee-scorecard',
    name: 'Visit scorecard',
    description: 'How likely a member is to visit this week, by rules that a store manager can explain.',
    modelType: 'scorecard',
    status: 'active',
    config: {
      baseScore: 45,
      minScore: 0,
      maxScore: 100,
      normalization: 'sigmoid',
      rules: [
        {
          id: 'came-often',
          field: 'customer.visits_30d',
          operator: 'gte',
          value: 6,
          points: 25,
          description: 'Six or more visits in the last month.',
        },
        {
          id: 'in-the-app',
          field: 'customer.app_user',
          operator: 'eq',
          value: true,
          points: 8,
          description: 'Uses the app.',
        },
        {
          id: 'black-card',
          field: 'customer.tier',
          operator: 'eq',
          value: 'black',
          points: 12,
          description: 'Has the black tier.',
        },
        {
          id: 'away',
          field: 'customer.days_since_visit',
          operator: 'gte',
          value: 21,
          points: -30,
          description: 'No visit for three weeks.',
        },
        {
          id: 'new',
          field: 'customer.tenure_days',
          operator: 'lt',
          value: 60,
          points: -6,
          description: 'No habit yet.',
        },
      ],
    },
  },
  {
    key: 'coffee-thompson',
    name: 'Taste bandit',
    description: 'Learns from responses which offers members like, while still exploring others.',
    modelType: 'thompson_bandit',
    status: 'active',
    outcomeWeights: { redeem: 2, convert: 2, dismiss: -1 },
  },
  {
    key: 'coffee-bayes',
    name: 'App user, naive Bayes',
    description: 'How likely a member is to use the app, by how many members like them do.',
    modelType: 'bayesian',
    family: 'coffee-app',
    ...onMembers,
  },
  {
    key: 'coffee-gbm',
    name: 'App user, boosted trees',
    description: 'How likely a member is to use the app, by a hundred small trees.',
    modelType: 'gradient_boosted',
    family: 'coffee-app',
    ...onMembers,
  },
];

/** Drafts: an experiment needs models that are trained. */
export const coffeeExperiments: readonly PackExperiment[] = [
  {
    key: 'coffee-app-models',
    name: 'Boosted trees against naive Bayes',
    description: 'Does the simpler model predict app users as well? Start it when both models are trained.',
    championModel: 'coffee-gbm',
    trafficSplit: { championPct: 80 },
    challengers: [{ model: 'coffee-bayes', trafficPct: 20 }],
  },
];
