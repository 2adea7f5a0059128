import type { AlgorithmModelCreate } from '@arbiter/contract';

export const coffeeModels: readonly AlgorithmModelCreate[] = [
  {
    key: 'coffee-scorecard',
    name: 'Visit scorecard',
    description: 'How likely a member is to come by this week, by rules that a store manager can explain.',
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
          description: 'Six visits and more in the last month.',
        },
        {
          id: 'in-the-app',
          field: 'customer.app_user',
          operator: 'eq',
          value: true,
          points: 8,
          description: 'Has the app on the phone.',
        },
        {
          id: 'black-card',
          field: 'customer.tier',
          operator: 'eq',
          value: 'black',
          points: 12,
          description: 'Carries the black card.',
        },
        {
          id: 'away',
          field: 'customer.days_since_visit',
          operator: 'gte',
          value: 21,
          points: -30,
          description: 'Was not here for three weeks.',
        },
        {
          id: 'new',
          field: 'customer.tenure_days',
          operator: 'lt',
          value: 60,
          points: -6,
          description: 'Has no habit yet.',
        },
      ],
    },
  },
  {
    key: 'coffee-thompson',
    name: 'Taste bandit',
    description: 'Learns from each answer which offer members like, and stays curious about the others.',
    modelType: 'thompson_bandit',
    status: 'active',
    outcomeWeights: { redeem: 2, convert: 2, dismiss: -1 },
  },
];
