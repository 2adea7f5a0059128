import { drawHistory } from '../history.ts';
import type { Pack } from '../pack.ts';
import { accountFields, accountRows } from './accounts.ts';
import { bankCategories, bankChannels, bankOffers, bankOutcomeTypes } from './catalogue.ts';
import { clientCount, clientCsv, clientFields, clientId, clientRow, clientRows } from './clients.ts';
import { bankCreatives } from './creatives.ts';
import { bankFlows } from './flows.ts';
import { bankExperiments, bankModels } from './models.ts';
import { bankPolicies, bankRules, bankSegments } from './rules.ts';
import { bankSuits, bankTruth } from './truth.ts';

const key = 'retail_bank';
const version = 1;
const seed = `${key}@${version}`;

const worth = new Map(bankOffers.map(({ name, revenueValue }) => [name, revenueValue ?? 0]));

/**
 * Retail bank: savings, cards, loans and care for the clients of a bank (docs/design/api-access.md 13). Everyone in it
 * is invented.
 */
export const retailBank: Pack = {
  key,
  version,
  name: 'Retail bank',
  description:
    'A bank with 2,000 clients and their accounts, fourteen offers, and four channels, one of them the adviser’s desk.',
  testingFocus: ['gates', 'consent-like rules', 'boosted trees', 'SHAP', 'uploads'],
  source:
    'Invented by a generator; the same clients at every load. Its columns are those of the data set “Bank Marketing” (S. Moro, ' +
    'P. Rita, P. Cortez, UCI Machine Learning Repository, CC BY 4.0), whose file can be uploaded in place of the clients.',
  schemas: [
    {
      schema: {
        name: 'bank_clients',
        displayName: 'Bank clients',
        description: 'Clients of the bank.',
        entityType: 'customer',
        schemaType: 'customer',
        autoEnrich: true,
        fields: clientFields,
      },
      rows: () => clientRows(seed),
      csv: clientCsv,
    },
    {
      schema: {
        name: 'bank_accounts',
        displayName: 'Bank accounts',
        description: 'Accounts of the clients.',
        entityType: 'account',
        schemaType: 'account',
        autoEnrich: true,
        joinMapping: { parentField: 'client_id', childField: 'client_id', joinType: 'left' },
        summaryColumns: ['balance', 'monthly_inflow'],
        fields: accountFields,
      },
      linkedTo: 'bank_clients',
      rows: (loadedAt) => accountRows(seed, loadedAt),
    },
  ],
  outcomeTypes: bankOutcomeTypes,
  categories: bankCategories,
  channels: bankChannels,
  offers: bankOffers,
  creatives: bankCreatives,
  segments: bankSegments,
  models: bankModels,
  experiments: bankExperiments,
  trainedModels: ['bank-bayes', 'bank-logistic', 'bank-gbm'],
  qualificationRules: bankRules,
  contactPolicies: bankPolicies,
  flows: bankFlows,
  history: (loadedAt) =>
    drawHistory({
      seed,
      size: 6_000,
      customerCount: clientCount,
      customer: (number) => clientRow(seed, number),
      creatives: bankCreatives,
      suits: bankSuits,
      truth: bankTruth,
      // Nobody applies for an alert.
      positive: (offerName) => [
        ['click', 46],
        ['requested_info', 18],
        ['apply', bankOffers.find(({ name }) => name === offerName)?.categoryName === 'Care' ? 0 : 20],
        ['convert', 16],
      ],
      other: [
        [null, 78],
        ['dismiss', 12],
        ['not_interested', 6],
        ['deferred', 4],
      ],
      worthOf: (offerName) => worth.get(offerName) ?? 0,
      loadedAt,
    }),
  truth: bankTruth,
  firstCustomer: clientId(1),
};
