import type { Pack } from '../pack.ts';
import { coffeeCategories, coffeeChannels, coffeeOffers, coffeeOutcomeTypes } from './catalogue.ts';
import { coffeeCreatives } from './creatives.ts';
import { coffeeFlows } from './flows.ts';
import { memberFields, memberRows } from './members.ts';
import { coffeePolicies, coffeeRules } from './rules.ts';

const key = 'coffee_rewards';
const version = 1;
const seed = `${key}@${version}`;

/** Coffee rewards: a chain of coffee shops with a loyalty programme (docs/design/api-access.md 13). Everybody in it is invented. */
export const coffeeRewards: Pack = {
  key,
  version,
  name: 'Coffee rewards',
  description: 'A chain of coffee shops with a loyalty programme: 1,000 members, twelve offers, four channels.',
  testingFocus: ['loyalty', 'caps', 'exploration'],
  source: 'Invented by a generator; the same customers at every load.',
  schemas: [
    {
      schema: {
        name: 'coffee_members',
        displayName: 'Coffee members',
        description: 'Members of the loyalty programme.',
        entityType: 'customer',
        schemaType: 'customer',
        autoEnrich: true,
        fields: memberFields,
      },
      rows: (loadedAt) => memberRows(seed, loadedAt),
    },
  ],
  outcomeTypes: coffeeOutcomeTypes,
  categories: coffeeCategories,
  channels: coffeeChannels,
  offers: coffeeOffers,
  creatives: coffeeCreatives,
  qualificationRules: coffeeRules,
  contactPolicies: coffeePolicies,
  flows: coffeeFlows,
  firstCustomer: 'CM-000001',
};
