import { drawHistory } from '../history.ts';
import type { Pack } from '../pack.ts';
import { coffeeCategories, coffeeChannels, coffeeOffers, coffeeOutcomeTypes } from './catalogue.ts';
import { coffeeCreatives } from './creatives.ts';
import { coffeeFlows } from './flows.ts';
import { memberCount, memberFields, memberId, memberRow, memberRows } from './members.ts';
import { coffeeExperiments, coffeeModels } from './models.ts';
import { coffeePolicies, coffeeRules, coffeeSegments } from './rules.ts';
import { coffeeSuits, coffeeTruth } from './truth.ts';
import { visitFields, visitRows } from './visits.ts';

const key = 'coffee_rewards';
const version = 1;
const seed = `${key}@${version}`;

const worth = new Map(coffeeOffers.map(({ name, revenueValue }) => [name, revenueValue ?? 0]));

/**
 * Coffee rewards: a chain of coffee shops with a loyalty program (docs/design/api-access.md 13). Everyone in it is
 * invented.
 */
export const coffeeRewards: Pack = {
  key,
  version,
  name: 'Coffee rewards',
  description: 'A chain of coffee shops with a loyalty program: 1,000 members, twelve offers, four channels.',
  testingFocus: ['loyalty', 'caps', 'exploration'],
  source: 'Generated; the same customers on every load.',
  schemas: [
    {
      schema: {
        name: 'coffee_members',
        displayName: 'Coffee members',
        description: 'Members of the loyalty program.',
        entityType: 'customer',
        schemaType: 'customer',
        autoEnrich: true,
        fields: memberFields,
      },
      rows: (loadedAt) => memberRows(seed, loadedAt),
    },
    {
      schema: {
        name: 'coffee_visits',
        displayName: 'Coffee visits',
        description: 'What members bought, and where.',
        entityType: 'custom',
        schemaType: 'transaction',
        autoEnrich: true,
        joinMapping: { parentField: 'member_id', childField: 'member_id', joinType: 'left' },
        summaryColumns: ['amount', 'stars_earned'],
        fields: visitFields,
      },
      linkedTo: 'coffee_members',
      rows: (loadedAt) => visitRows(seed, loadedAt),
    },
  ],
  outcomeTypes: coffeeOutcomeTypes,
  categories: coffeeCategories,
  channels: coffeeChannels,
  offers: coffeeOffers,
  creatives: coffeeCreatives,
  segments: coffeeSegments,
  models: coffeeModels,
  experiments: coffeeExperiments,
  trainedModels: ['coffee-bayes', 'coffee-gbm'],
  qualificationRules: coffeeRules,
  contactPolicies: coffeePolicies,
  flows: coffeeFlows,
  history: (loadedAt) =>
    drawHistory({
      seed,
      size: 3_000,
      customerCount: memberCount,
      customer: (number) => memberRow(seed, number, loadedAt),
      creatives: coffeeCreatives,
      suits: coffeeSuits,
      truth: coffeeTruth,
      positive: () => [
        ['click', 50],
        ['redeem', 32],
        ['convert', 18],
      ],
      other: [
        [null, 82],
        ['dismiss', 14],
        ['not_interested', 4],
      ],
      worthOf: (offerName) => worth.get(offerName) ?? 0,
      loadedAt,
    }),
  truth: coffeeTruth,
  firstCustomer: memberId(1),
};
