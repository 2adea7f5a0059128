import type { ChannelCreate, OutcomeTypeCreate } from '@arbiter/contract';
import type { PackCategory, PackOffer } from '../pack.ts';
import { buildCategory, buildOffer } from '../record-builders.ts';

/** Offers of the bank and its channels (docs/design/api-access.md 13). */

export const bankOutcomeTypes: readonly OutcomeTypeCreate[] = [
  {
    key: 'apply',
    name: 'Apply',
    description: 'The client sent an application.',
    classification: 'positive',
    category: 'response',
  },
];

export const bankCategories: readonly PackCategory[] = [
  buildCategory(
    1,
    {
      name: 'Savings',
      description: 'Money to set aside, for a year or for life.',
      icon: 'piggy-bank',
      color: 'green',
    },
    { Deposits: 'Safe, with a fixed or known rate.', Investing: 'For clients with time.' },
  ),
  buildCategory(
    2,
    {
      name: 'Borrowing',
      description: 'Credit for clients who can afford it.',
      icon: 'credit-card',
      color: 'blue',
    },
    { Cards: 'Cards for every day and for travel.', Loans: 'Larger sums, paid back month by month.' },
  ),
  buildCategory(
    3,
    { name: 'Care', description: 'What makes the bank easier and safer to use.', icon: 'shield-check', color: 'amber' },
    { Service: 'Less paper, fewer visits.', Protection: 'Protection against fraud.' },
  ),
];

export const bankChannels: readonly ChannelCreate[] = [
  {
    name: 'Mobile App',
    key: 'in_app',
    channelType: 'in_app',
    impressionMode: 'explicit',
    description: 'The banking app, which reports what was seen.',
    placements: [
      { name: 'Home', key: 'home', slotType: 'banner', maxSlots: 1, description: 'Above the accounts.' },
      { name: 'Card', key: 'card', slotType: 'card', maxSlots: 3, description: 'Cards below the accounts.' },
    ],
  },
  {
    name: 'Email',
    key: 'email',
    channelType: 'email',
    description: 'Emails to clients.',
    placements: [{ name: 'Inbox', key: 'inbox', slotType: 'inline', maxSlots: 2, description: 'Body of the email.' }],
  },
  {
    name: 'SMS',
    key: 'sms',
    channelType: 'sms',
    description: 'Short, and used rarely.',
    placements: [{ name: 'Text', key: 'text', slotType: 'inline', maxSlots: 1, description: 'The message.' }],
  },
  {
    name: 'Adviser Desk',
    key: 'desk',
    channelType: 'web',
    deliveryMode: 'manual',
    description: 'What an adviser sees during a client meeting.',
    placements: [
      {
        name: 'Desk',
        key: 'desk',
        slotType: 'card',
        maxSlots: 3,
        description: "Talking points next to the client's file.",
      },
    ],
  },
];

const deposits = { categoryName: 'Savings', subCategoryName: 'Deposits' };
const investing = { categoryName: 'Savings', subCategoryName: 'Investing' };
const cards = { categoryName: 'Borrowing', subCategoryName: 'Cards' };
const loans = { categoryName: 'Borrowing', subCategoryName: 'Loans' };
const service = { categoryName: 'Care', subCategoryName: 'Service' };
const protection = { categoryName: 'Care', subCategoryName: 'Protection' };

export const bankOffers: readonly PackOffer[] = [
  buildOffer(deposits, 'Term Deposit 12 Months', [80, 90], {
    shortDesc: '3.2 percent, fixed for twelve months',
    description: 'From 1,000. The rate is fixed on the day of opening and paid out after twelve months.',
    tags: ['deposit', 'fixed_rate'],
    productType: 'deposit',
    margin: 42,
    revenueValue: 180,
  }),
  buildOffer(deposits, 'Flexible Saver', [65, 60], {
    shortDesc: '2.1 percent, there whenever you need it',
    description: 'A savings account with no minimum and no notice period. Interest is paid every quarter.',
    tags: ['savings', 'flexible'],
    productType: 'savings',
    margin: 18,
    revenueValue: 70,
  }),
  buildOffer(deposits, 'Youth Saver', [50, 35], {
    shortDesc: '3 percent on the first 3,000, until 26',
    description: 'For clients under 26: 3 percent on the first 3,000, a free card, no fees.',
    tags: ['savings', 'young'],
    productType: 'savings',
    margin: 6,
    revenueValue: 30,
  }),
  buildOffer(investing, 'Index Fund Plan', [60, 70], {
    shortDesc: 'The world in one fund, from 50 a month',
    description:
      'A savings plan on a global index fund. No order fee in the first year; pause or change it at any time.',
    tags: ['fund', 'plan'],
    productType: 'fund',
    margin: 55,
    revenueValue: 140,
  }),
  buildOffer(investing, 'Pension Top Up', [62, 75], {
    shortDesc: 'Close the gap before retirement',
    description: 'A yearly payment into the pension, with a forecast of what it adds each month from retirement on.',
    tags: ['pension', 'long_term'],
    productType: 'fund',
    margin: 60,
    revenueValue: 220,
  }),
  buildOffer(cards, 'Cashback Card', [70, 72], {
    shortDesc: '1 percent back on every purchase',
    description: 'A credit card that pays 1 percent of every purchase back at the end of the month. First year free.',
    tags: ['card', 'cashback'],
    productType: 'card',
    margin: 38,
    revenueValue: 95,
  }),
  buildOffer(cards, 'Travel Card', [64, 68], {
    shortDesc: 'No fees abroad, insured on the way',
    description:
      'Pay and withdraw in any currency without a fee. Cancellation and luggage insurance are part of the card.',
    tags: ['card', 'travel'],
    productType: 'card',
    margin: 34,
    revenueValue: 88,
  }),
  buildOffer(cards, 'Card Limit Increase', [58, 55], {
    shortDesc: 'A higher limit, in two taps',
    description: 'Raises the card limit to two months of income. You only pay for what you use.',
    tags: ['card', 'limit'],
    productType: 'card',
    margin: 20,
    revenueValue: 45,
  }),
  buildOffer(loans, 'Green Home Loan', [72, 95], {
    shortDesc: '0.4 points less for a home that saves energy',
    description: 'For a heat pump, insulation or solar panels: 0.4 points below the usual rate.',
    tags: ['loan', 'home', 'green'],
    productType: 'loan',
    margin: 120,
    revenueValue: 900,
  }),
  buildOffer(loans, 'Loan Consolidation', [66, 70], {
    shortDesc: 'Several loans become one',
    description: 'Combines existing loans: one rate, one date, one lower monthly payment.',
    tags: ['loan', 'consolidation'],
    productType: 'loan',
    margin: 75,
    revenueValue: 420,
  }),
  buildOffer(loans, 'Car Loan', [60, 66], {
    shortDesc: 'A decision within the hour',
    description: 'From 5,000 to 50,000 over up to seven years. Electric cars pay half a point less.',
    tags: ['loan', 'car'],
    productType: 'loan',
    margin: 68,
    revenueValue: 380,
  }),
  buildOffer(service, 'Paperless Statements', [45, 20], {
    shortDesc: 'Statements in the app instead of the mail',
    description: "Every statement as a PDF on the day it's issued, available for ten years.",
    tags: ['service', 'paperless'],
    productType: 'service',
    margin: 3,
    revenueValue: 8,
  }),
  buildOffer(service, 'Mobile App Activation', [55, 25], {
    shortDesc: 'The bank in your pocket',
    description: 'Sign in once with the card reader, then use your fingerprint.',
    tags: ['service', 'app'],
    productType: 'service',
    margin: 4,
    revenueValue: 12,
  }),
  buildOffer(protection, 'Fraud Alerts On', [75, 30], {
    shortDesc: 'A message for every payment that looks odd',
    description: 'The bank checks with you before an unusual payment leaves the account. Free of charge.',
    tags: ['protection', 'alerts'],
    productType: 'service',
    margin: 5,
    revenueValue: 15,
  }),
];
