import type { AlgorithmModelCreate } from '@arbiter/contract';
import type { PackExperiment } from '../pack.ts';

/** Columns of the subscribers that the models read. */
const columns = [
  ...['age', 'plan', 'monthly_fee', 'contract_months_left', 'tenure_months', 'device_age_months', 'is_family'],
  ...['roaming_user', 'nps', 'churn_risk', 'payment_late'],
].map((name) => ({ name, source: `customer.${name}` }));

export const telcoModels: readonly AlgorithmModelCreate[] = [
  {
    key: 'telco-scorecard',
    name: 'Churn scorecard',
    description: 'How likely a subscriber is to leave, by rules that a care agent can explain.',
    modelType: 'scorecard',
    status: 'active',
    config: {
      baseScore: 40,
      minScore: 0,
      maxScore: 100,
      normalization: 'sigmoid',
      rules: [
        {
          id: 'contract-ends',
          field: 'customer.contract_months_left',
          operator: 'lte',
          value: 3,
          points: 22,
          description: 'The contract ends soon.',
        },
        {
          id: 'unhappy',
          field: 'customer.nps',
          operator: 'lte',
          value: 5,
          points: 18,
          description: 'Would not recommend us.',
        },
        {
          id: 'happy',
          field: 'customer.nps',
          operator: 'gte',
          value: 9,
          points: -16,
          description: 'Recommends us.',
        },
        {
          id: 'calls-break-off',
          field: 'customer.telco_usage_dropped_calls_avg',
          operator: 'gte',
          value: 4,
          points: 12,
          description: 'Too many dropped calls.',
        },
        {
          id: 'asked-for-help',
          field: 'customer.telco_tickets_count',
          operator: 'gte',
          value: 2,
          points: 8,
          description: 'Contacted support more than once.',
        },
        {
          id: 'loyal',
          field: 'customer.tenure_months',
          operator: 'gte',
          value: 60,
          points: -12,
          description: 'A subscriber for five years.',
        },
        {
          id: 'home-too',
          field: 'customer.home_internet',
          operator: 'eq',
          value: true,
          points: -10,
          description: 'Also has our home internet.',
        },
      ],
    },
  },
  {
    key: 'telco-epsilon',
    name: 'Save bandit',
    description: 'Learns which offer keeps subscribers, and tries another one now and then.',
    modelType: 'epsilon_greedy',
    status: 'active',
    config: { epsilon: 0.1, decayRate: 0.001 },
    outcomeWeights: { renew: 3, convert: 3, dismiss: -1 },
  },
  {
    key: 'telco-gbm',
    name: 'Home internet, boosted trees',
    description: 'How likely a subscriber is to have home internet from us, by a hundred small trees.',
    modelType: 'gradient_boosted',
    family: 'telco-internet',
    predictors: columns,
    targetSchemaKey: 'telco_subscribers',
    targetField: 'home_internet',
  },
  {
    key: 'telco-online',
    name: 'Response, learning online',
    description: 'How likely a subscriber is to respond, learned from each response.',
    modelType: 'online_learner',
    status: 'active',
    predictors: [...columns, 'offer.priority'],
  },
];

/** Drafts: an experiment needs models that are trained. */
export const telcoExperiments: readonly PackExperiment[] = [
  {
    key: 'telco-internet-models',
    name: 'Boosted trees against learning online',
    description: 'Does a model that learns from each response do better? Start it when the trees are trained.',
    championModel: 'telco-gbm',
    trafficSplit: { championPct: 80 },
    challengers: [{ model: 'telco-online', trafficPct: 20 }],
  },
];
