import type { ChannelCreate, OutcomeTypeCreate } from '@arbiter/contract';
import type { PackCategory, PackOffer } from '../pack.ts';
import { buildCategory, buildOffer } from '../record-builders.ts';

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
  buildCategory(
    1,
    { name: 'Retain', description: 'Keep subscribers who are thinking of leaving.', icon: 'heart', color: 'red' },
    { Save: 'Before the contract ends.', Repair: 'After something went wrong.' },
  ),
  buildCategory(
    2,
    { name: 'Grow', description: 'More of what subscribers already like.', icon: 'trending-up', color: 'green' },
    {
      Plan: 'A plan that fits better.',
      Device: 'Phones, watches and protection for them.',
      Travel: 'For trips abroad.',
    },
  ),
  buildCategory(
    3,
    { name: 'Serve', description: 'Small things that make life easier.', icon: 'life-buoy', color: 'blue' },
    { Account: 'Bills and data.', Partner: 'Gifts from partners.' },
  ),
];

export const telcoChannels: readonly ChannelCreate[] = [
  {
    name: 'Web',
    key: 'web',
    channelType: 'web',
    couplingMode: 'atomic',
    description: 'The account page. Hero and side are filled together or not at all.',
    placements: [
      { name: 'Hero', key: 'hero', slotType: 'banner', maxSlots: 1, description: 'Banner above the fold.' },
      { name: 'Side', key: 'side', slotType: 'card', maxSlots: 1, description: 'Card next to the bill.' },
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
    description: 'The monthly email with the bill.',
    placements: [{ name: 'Inbox', key: 'inbox', slotType: 'inline', maxSlots: 2, description: 'Body of the email.' }],
  },
];

const save = { categoryName: 'Retain', subCategoryName: 'Save' };
const repair = { categoryName: 'Retain', subCategoryName: 'Repair' };
const plan = { categoryName: 'Grow', subCategoryName: 'Plan' };
const device = { categoryName: 'Grow', subCategoryName: 'Device' };
const travel = { categoryName: 'Grow', subCategoryName: 'Travel' };
const account = { categoryName: 'Serve', subCategoryName: 'Account' };
const partner = { categoryName: 'Serve', subCategoryName: 'Partner' };

export const telcoOffers: readonly PackOffer[] = [
  buildOffer(save, 'Loyalty Credit', [85, 80], {
    shortDesc: '15 off the next bill, for staying',
    description: 'A credit of 15 on the next bill for subscribers who stay another twelve months.',
    tags: ['credit', 'loyalty'],
    productType: 'credit',
    margin: 12,
    revenueValue: 160,
    budget: { costPerConversionCents: 1_500 },
  }),
  buildOffer(save, 'Contract Renewal Bonus', [82, 92], {
    shortDesc: 'Renew now: two months free',
    description: 'Two months free for subscribers who renew for 24 months before the contract ends.',
    tags: ['renewal', 'bonus'],
    productType: 'contract',
    margin: 60,
    revenueValue: 420,
  }),
  buildOffer(save, 'Plan Right Size', [74, 50], {
    shortDesc: 'Pay for what you use',
    description: 'Moves the line to the plan that would have been cheapest in the last three months.',
    tags: ['plan', 'fair'],
    productType: 'plan',
    margin: 4,
    revenueValue: 90,
  }),
  buildOffer(repair, 'Network Apology Data', [78, 40], {
    shortDesc: '10 GB, because the network was slow',
    description: 'Free data for subscribers with dropped calls or an outage.',
    tags: ['apology', 'data'],
    productType: 'data',
    margin: 2,
    revenueValue: 20,
  }),
  buildOffer(repair, 'Care Callback', [70, 30], {
    shortDesc: 'A specialist calls you back',
    description: 'A call from a specialist at a time that suits, with the case history at hand.',
    tags: ['care', 'call'],
    productType: 'service',
    margin: 1,
    revenueValue: 15,
  }),
  buildOffer(plan, 'Upgrade To Max', [68, 85], {
    shortDesc: '100 GB, half price for three months',
    description: 'The largest plan at half price for three months, and back with one tap.',
    tags: ['plan', 'upgrade'],
    productType: 'plan',
    margin: 80,
    revenueValue: 240,
  }),
  buildOffer(plan, 'Family Bundle', [66, 78], {
    shortDesc: 'A second line for 8 a month',
    description: 'Up to four more lines on one bill, 8 a month each, with shared data.',
    tags: ['plan', 'family'],
    productType: 'plan',
    margin: 55,
    revenueValue: 190,
  }),
  buildOffer(plan, 'Home Internet Add On', [72, 88], {
    shortDesc: 'Fast internet at home, 10 off a month',
    description: 'Up to 500 Mbit/s at home. 10 less each month with a phone contract, router included.',
    tags: ['home', 'internet'],
    productType: 'internet',
    margin: 95,
    revenueValue: 380,
  }),
  buildOffer(device, 'New Phone Trade In', [70, 82], {
    shortDesc: 'Your old phone is worth up to 250',
    description: 'Get a quote for the old phone in the app, and take it off the price of a new one.',
    tags: ['device', 'trade_in'],
    productType: 'device',
    margin: 70,
    revenueValue: 520,
  }),
  buildOffer(device, 'Watch Plan', [52, 48], {
    shortDesc: 'Leave the phone at home',
    description: 'A line for the watch with the same number: 5 a month, first three months free.',
    tags: ['device', 'watch'],
    productType: 'device',
    margin: 30,
    revenueValue: 60,
  }),
  buildOffer(device, 'Device Insurance', [56, 52], {
    shortDesc: 'Broken screens, from 4 a month',
    description: 'Repairs a broken screen within a day and replaces a stolen phone. Cancel monthly.',
    tags: ['device', 'insurance'],
    productType: 'insurance',
    margin: 34,
    revenueValue: 70,
  }),
  buildOffer(travel, 'Roaming Pass', [60, 58], {
    shortDesc: '5 GB abroad for 12',
    description: 'Fourteen days, 60 countries, 5 GB. Starts with the first byte abroad and ends automatically.',
    tags: ['roaming', 'travel'],
    productType: 'data',
    margin: 9,
    revenueValue: 12,
  }),
  buildOffer(account, 'Autopay Setup', [58, 28], {
    shortDesc: 'Never think of the bill again',
    description: 'Bills are paid automatically on the due date, after a reminder.',
    tags: ['bill', 'autopay'],
    productType: 'service',
    margin: 5,
    revenueValue: 10,
  }),
  buildOffer(account, 'Paperless Bill', [44, 18], {
    shortDesc: 'The bill in the app, 1 off a month',
    description: 'The bill as a PDF instead of on paper, and 1 less to pay each month.',
    tags: ['bill', 'paperless'],
    productType: 'service',
    margin: 3,
    revenueValue: 8,
  }),
  buildOffer(account, 'Data Top Up', [63, 42], {
    shortDesc: '5 GB more for this month',
    description: '5 GB more until the end of the month for 4. Unused data rolls over.',
    tags: ['data', 'top_up'],
    productType: 'data',
    margin: 3,
    revenueValue: 4,
  }),
  buildOffer(partner, 'Streaming Trial', [54, 46], {
    shortDesc: 'Three months of films on us',
    description: 'Three months of the partner’s streaming service; then it ends unless the customer renews it.',
    tags: ['partner', 'streaming'],
    productType: 'partner',
    margin: 7,
    revenueValue: 24,
  }),
];
