import type { AlgorithmModelCreate } from '@arbiter/contract';

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
];
