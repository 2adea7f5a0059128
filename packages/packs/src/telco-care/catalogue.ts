import type { ChannelCreate, OutcomeTypeCreate } from '@arbiter/contract';
import type { PackCategory, PackOffer } from '../pack.ts';

/** Offers of the operator and its channels (docs/design/api-access.md 13). */

export const telcoOutcomeTypes: readonly OutcomeTypeCreate[] = [
  {
    key: 'renew',
    name: 'Renew',
    description: 'The subscriber renewed the contract.',
    classification: 'positive',
    category: 'response',
  },
];

export const telcoCategories: readonly PackCategory[] = [
  {
    name: 'Retain',
    description: 'Keep the subscribers who think of leaving.',
    icon: 'heart',
    color: 'red',
    ordinal: 1,
    subCategories: [
      { name: 'Save', description: 'Before the contract ends.', ordinal: 1 },
      { name: 'Repair', description: 'After something went wrong.', ordinal: 2 },
    ],
  },
  {
    name: 'Grow',
    description: 'More of what somebody likes already.',
    icon: 'trending-up',
    color: 'green',
    ordinal: 2,
    subCategories: [
      { name: 'Plan', description: 'A plan that fits better.', ordinal: 1 },
      { name: 'Device', description: 'Phones, watches and what protects them.', ordinal: 2 },
      { name: 'Travel', description: 'For the days abroad.', ordinal: 3 },
    ],
  },
  {
    name: 'Serve',
    description: 'Small things that make life easier.',
    icon: 'life-buoy',
    color: 'blue',
    ordinal: 3,
    subCategories: [
      { name: 'Account', description: 'Bills and data.', ordinal: 1 },
      { name: 'Partner', description: 'Gifts from partners.', ordinal: 2 },
    ],
  },
];

export const telcoChannels: readonly ChannelCreate[] = [
  {
    name: 'Web',
    key: 'web',
    channelType: 'web',
    couplingMode: 'atomic',
    description: 'The account page: hero and side are filled together or not at all.',
    placements: [
      { name: 'Hero', key: 'hero', slotType: 'banner', maxSlots: 1, description: 'Banner above the fold.' },
      { name: 'Side', key: 'side', slotType: 'card', maxSlots: 1, description: 'Card beside the bill.' },
    ],
  },
  {
    name: 'Mobile Push',
    key: 'push',
    channelType: 'push',
    description: 'A line on the lock screen.',
    placements: [{ name: 'Alert', key: 'alert', slotType: 'inline', maxSlots: 1, description: 'The push message.' }],
  },
  {
    name: 'SMS',
    key: 'sms',
    channelType: 'sms',
    description: 'Short, and read within minutes.',
    placements: [{ name: 'Text', key: 'text', slotType: 'inline', maxSlots: 1, description: 'The message.' }],
  },
  {
    name: 'Email',
    key: 'email',
    channelType: 'email',
    description: 'The monthly letter beside the bill.',
    placements: [{ name: 'Inbox', key: 'inbox', slotType: 'inline', maxSlots: 2, description: 'Body of the letter.' }],
  },
];

const offer = (
  place: Pick<PackOffer, 'categoryName' | 'subCategoryName'>,
  name: string,
  [priority, businessValue]: readonly [number, number],
  more: Pick<PackOffer, 'shortDesc' | 'description' | 'tags' | 'productType' | 'margin' | 'revenueValue' | 'budget'>,
): PackOffer => ({ name, status: 'active', ...place, priority, businessValue, ...more });

const save = { categoryName: 'Retain', subCategoryName: 'Save' };
const repair = { categoryName: 'Retain', subCategoryName: 'Repair' };
const plan = { categoryName: 'Grow', subCategoryName: 'Plan' };
const device = { categoryName: 'Grow', subCategoryName: 'Device' };
const travel = { categoryName: 'Grow', subCategoryName: 'Travel' };
const account = { categoryName: 'Serve', subCategoryName: 'Account' };
const partner = { categoryName: 'Serve', subCategoryName: 'Partner' };

export const telcoOffers: readonly PackOffer[] = [
  offer(save, 'Loyalty Credit', [85, 80], {
    shortDesc: '15 off the next bill, for staying',
    description: 'A credit of 15 on the next bill for subscribers who stay another twelve months.',
    tags: ['credit', 'loyalty'],
    productType: 'credit',
    margin: 12,
    revenueValue: 160,
    budget: { costPerConversionCents: 1_500 },
  }),
  offer(save, 'Contract Renewal Bonus', [82, 92], {
    shortDesc: 'Renew now: two months free',
    description: 'Whoever renews for 24 months before the contract ends pays nothing for two of them.',
    tags: ['renewal', 'bonus'],
    productType: 'contract',
    margin: 60,
    revenueValue: 420,
  }),
  offer(save, 'Plan Right Size', [74, 50], {
    shortDesc: 'Pay for what you use',
    description: 'Moves the line to the plan that would have been cheapest in the last three months.',
    tags: ['plan', 'fair'],
    productType: 'plan',
    margin: 4,
    revenueValue: 90,
  }),
  offer(repair, 'Network Apology Data', [78, 40], {
    shortDesc: '10 GB, because the network was slow',
    description: 'An apology in data for subscribers whose calls broke off or whose cell was down.',
    tags: ['apology', 'data'],
    productType: 'data',
    margin: 2,
    revenueValue: 20,
  }),
  offer(repair, 'Care Callback', [70, 30], {
    shortDesc: 'Somebody who knows calls you back',
    description: 'A call from a specialist at a time that suits, with the history of the case at hand.',
    tags: ['care', 'call'],
    productType: 'service',
    margin: 1,
    revenueValue: 15,
  }),
  offer(plan, 'Upgrade To Max', [68, 85], {
    shortDesc: '100 GB, half price for three months',
    description: 'The largest plan at half its price for three months, and back with one tap if it is too much.',
    tags: ['plan', 'upgrade'],
    productType: 'plan',
    margin: 80,
    revenueValue: 240,
  }),
  offer(plan, 'Family Bundle', [66, 78], {
    shortDesc: 'A second line for 8 a month',
    description: 'Up to four further lines on one bill, each for 8 a month, with data that the family shares.',
    tags: ['plan', 'family'],
    productType: 'plan',
    margin: 55,
    revenueValue: 190,
  }),
  offer(plan, 'Home Internet Add On', [72, 88], {
    shortDesc: 'Fast internet at home, 10 off a month',
    description: 'Up to 500 Mbit/s at home. With a phone contract it is 10 cheaper each month, router included.',
    tags: ['home', 'internet'],
    productType: 'internet',
    margin: 95,
    revenueValue: 380,
  }),
  offer(device, 'New Phone Trade In', [70, 82], {
    shortDesc: 'Your old phone is worth up to 250',
    description: 'The old phone is valued in the app and taken off the price of a new one.',
    tags: ['device', 'trade_in'],
    productType: 'device',
    margin: 70,
    revenueValue: 520,
  }),
  offer(device, 'Watch Plan', [52, 48], {
    shortDesc: 'Leave the phone at home',
    description: 'A line for the watch with the same number, 5 a month, first three months free.',
    tags: ['device', 'watch'],
    productType: 'device',
    margin: 30,
    revenueValue: 60,
  }),
  offer(device, 'Device Insurance', [56, 52], {
    shortDesc: 'Broken screens, from 4 a month',
    description: 'Repairs a broken screen within a day and replaces a stolen phone. Can be ended every month.',
    tags: ['device', 'insurance'],
    productType: 'insurance',
    margin: 34,
    revenueValue: 70,
  }),
  offer(travel, 'Roaming Pass', [60, 58], {
    shortDesc: '5 GB abroad for 12',
    description: 'Fourteen days, 60 countries, 5 GB. It starts with the first byte abroad and ends by itself.',
    tags: ['roaming', 'travel'],
    productType: 'data',
    margin: 9,
    revenueValue: 12,
  }),
  offer(account, 'Autopay Setup', [58, 28], {
    shortDesc: 'Never think of the bill again',
    description: 'Bills are paid by themselves on the day they are due; a month’s reminder comes first.',
    tags: ['bill', 'autopay'],
    productType: 'service',
    margin: 5,
    revenueValue: 10,
  }),
  offer(account, 'Paperless Bill', [44, 18], {
    shortDesc: 'The bill in the app, 1 off a month',
    description: 'The bill as a PDF instead of a letter, and one less to pay each month.',
    tags: ['bill', 'paperless'],
    productType: 'service',
    margin: 3,
    revenueValue: 8,
  }),
  offer(account, 'Data Top Up', [63, 42], {
    shortDesc: '5 GB more for this month',
    description: 'Five more GB until the end of the month for 4. What is left over moves to the next one.',
    tags: ['data', 'top_up'],
    productType: 'data',
    margin: 3,
    revenueValue: 4,
  }),
  offer(partner, 'Streaming Trial', [54, 46], {
    shortDesc: 'Three months of films on us',
    description:
      'Three months of the partner’s streaming service; afterwards it ends, unless somebody wants it to go on.',
    tags: ['partner', 'streaming'],
    productType: 'partner',
    margin: 7,
    revenueValue: 24,
  }),
];
