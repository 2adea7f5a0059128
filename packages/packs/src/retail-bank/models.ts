import type { AlgorithmModelCreate } from '@arbiter/contract';
import type { PackExperiment } from '../pack.ts';

/** Reads columns of the clients. */
const columns = [
  ...['age', 'job', 'marital', 'education', 'credit_default', 'balance', 'housing_loan', 'personal_loan'],
  ...['contact_type', 'last_contact_days', 'campaign_contacts', 'previous_contacts', 'previous_outcome'],
];
const onClients = {
  predictors: columns.map((name) => ({ name, source: `customer.${name}` })),
  targetSchemaKey: 'bank_clients',
  targetField: 'subscribed',
};

/** Scores what makes a client likely to take a term deposit. The numbers follow the published data set. */
export const bankModels: readonly AlgorithmModelCreate[] = [
  {
    key: 'bank-scorecard',
    name: 'Term deposit scorecard',
    description: 'How likely a client is to take a term deposit, by rules that an adviser can explain.',
    modelType: 'scorecard',
    status: 'active',
    family: 'bank-deposit',
    config: {
      baseScore: 20,
      minScore: 0,
      maxScore: 100,
      normalization: 'sigmoid',
      rules: [
        {
          id: 'said-yes-before',
          field: 'customer.previous_outcome',
          operator: 'eq',
          value: 'success',
          points: 35,
          description: "Accepted an earlier campaign's offer.",
        },
        {
          id: 'affluent',
          field: 'customer.balance',
          operator: 'gte',
          value: 5000,
          points: 12,
          description: 'Has money to save.',
        },
        {
          id: 'senior',
          field: 'customer.age',
          operator: 'gte',
          value: 60,
          points: 10,
          description: 'Prefers a fixed rate.',
        },
        {
          id: 'student',
          field: 'customer.job',
          operator: 'eq',
          value: 'student',
          points: 6,
          description: 'Just starting to save.',
        },
        {
          id: 'housing-loan',
          field: 'customer.housing_loan',
          operator: 'eq',
          value: true,
          points: -10,
          description: 'Has a housing loan to repay.',
        },
        {
          id: 'personal-loan',
          field: 'customer.personal_loan',
          operator: 'eq',
          value: true,
          points: -8,
          description: 'Has a personal loan to repay.',
        },
        {
          id: 'called-often',
          field: 'customer.campaign_contacts',
          operator: 'gte',
          value: 4,
          points: -8,
          description: 'Has been contacted often.',
        },
        {
          id: 'overdrawn',
          field: 'customer.balance',
          operator: 'lt',
          value: 0,
          points: -15,
          description: 'Has nothing to save.',
        },
      ],
    },
  },
  {
    key: 'bank-bayes',
    name: 'Term deposit, naive Bayes',
    description: 'How likely a client is to take a term deposit, by how often clients like them did.',
    modelType: 'bayesian',
    family: 'bank-deposit',
    ...onClients,
  },
  {
    key: 'bank-logistic',
    name: 'Term deposit, logistic regression',
    description: 'How likely a client is to take a term deposit, as a weighted sum.',
    modelType: 'logistic_regression',
    family: 'bank-deposit',
    ...onClients,
  },
  {
    key: 'bank-gbm',
    name: 'Term deposit, boosted trees',
    description: 'How likely a client is to take a term deposit, by a hundred small trees.',
    modelType: 'gradient_boosted',
    family: 'bank-deposit',
    ...onClients,
  },
];

/** Drafts: an experiment needs models that are trained. */
export const bankExperiments: readonly PackExperiment[] = [
  {
    key: 'bank-deposit-models',
    name: 'Boosted trees against simpler models',
    description: 'Do models that an adviser can follow sell as many deposits? Start it when the models are trained.',
    championModel: 'bank-gbm',
    trafficSplit: { championPct: 60 },
    challengers: [
      { model: 'bank-logistic', trafficPct: 20 },
      { model: 'bank-bayes', trafficPct: 20 },
    ],
  },
];
