import { drawHistory } from '../history.ts';
import type { Pack } from '../pack.ts';
import { telcoCategories, telcoChannels, telcoOffers, telcoOutcomeTypes } from './catalogue.ts';
import { telcoCreatives } from './creatives.ts';
import { telcoFlows } from './flows.ts';
import { telcoMetrics } from './metrics.ts';
import { telcoExperiments, telcoModels } from './models.ts';
import { telcoGeofences, telcoJourneys, telcoTriggers } from './outreach.ts';
import { telcoPolicies, telcoRules, telcoSegments } from './rules.ts';
import { subscriberCount, subscriberFields, subscriberId, subscriberRow, subscriberRows } from './subscribers.ts';
import { telcoSuits, telcoTruth } from './truth.ts';
import { ticketFields, ticketRows, usageFields, usageRows } from './usage.ts';

const key = 'telco_care';
const version = 1;
const seed = `${key}@${version}`;

const worth = new Map(telcoOffers.map(({ name, revenueValue }) => [name, revenueValue ?? 0]));
const toSubscriber = { parentField: 'subscriber_id', childField: 'subscriber_id', joinType: 'left' };

/**
 * Telco care: a mobile operator that retains, helps and grows (docs/design/api-access.md 13). Everyone in it is
 * invented.
 */
export const telcoCare: Pack = {
  key,
  version,
  name: 'Telco care',
  description:
    'A mobile operator with 3,000 subscribers, their usage and their tickets, sixteen offers, four channels, and a page whose two places are filled together.',
  testingFocus: ['retention', 'triggers', 'journeys', 'budgets', 'coupling', 'bandits'],
  source: 'Invented by a generator; the same subscribers at every load.',
  schemas: [
    {
      schema: {
        name: 'telco_subscribers',
        displayName: 'Telco subscribers',
        description: 'Subscribers of the operator.',
        entityType: 'customer',
        schemaType: 'customer',
        autoEnrich: true,
        fields: subscriberFields,
      },
      rows: () => subscriberRows(seed),
    },
    {
      schema: {
        name: 'telco_usage',
        displayName: 'Telco usage',
        description: 'Usage per subscriber in the last three full months.',
        entityType: 'custom',
        schemaType: 'transaction',
        autoEnrich: true,
        joinMapping: toSubscriber,
        summaryColumns: ['data_gb', 'dropped_calls'],
        fields: usageFields,
      },
      linkedTo: 'telco_subscribers',
      rows: (loadedAt) => usageRows(seed, loadedAt),
    },
    {
      schema: {
        name: 'telco_tickets',
        displayName: 'Telco tickets',
        description: 'Questions and complaints of the last 90 days.',
        entityType: 'custom',
        schemaType: 'event',
        autoEnrich: true,
        joinMapping: toSubscriber,
        summaryColumns: ['topic'],
        fields: ticketFields,
      },
      linkedTo: 'telco_subscribers',
      rows: (loadedAt) => ticketRows(seed, loadedAt),
    },
  ],
  outcomeTypes: telcoOutcomeTypes,
  categories: telcoCategories,
  channels: telcoChannels,
  offers: telcoOffers,
  creatives: telcoCreatives,
  segments: telcoSegments,
  models: telcoModels,
  experiments: telcoExperiments,
  trainedModels: ['telco-gbm'],
  metrics: telcoMetrics,
  qualificationRules: telcoRules,
  contactPolicies: telcoPolicies,
  flows: telcoFlows,
  journeys: telcoJourneys,
  triggers: telcoTriggers,
  geofences: telcoGeofences,
  history: (loadedAt) =>
    drawHistory({
      seed,
      size: 9_000,
      customerCount: subscriberCount,
      customer: (number) => subscriberRow(seed, number),
      creatives: telcoCreatives,
      suits: telcoSuits,
      truth: telcoTruth,
      // A contract is renewed by an offer that saves it.
      positive: (offerName) => [
        ['click', 50],
        ['accept', 24],
        ['renew', telcoOffers.find(({ name }) => name === offerName)?.subCategoryName === 'Save' ? 40 : 0],
        ['convert', 18],
      ],
      other: [
        [null, 80],
        ['dismiss', 12],
        ['not_interested', 5],
        ['unsubscribe', 3],
      ],
      worthOf: (offerName) => worth.get(offerName) ?? 0,
      loadedAt,
    }),
  truth: telcoTruth,
  firstCustomer: subscriberId(1),
};
