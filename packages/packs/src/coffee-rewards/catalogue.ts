import type { ChannelCreate, OutcomeTypeCreate } from '@arbiter/contract';
import type { PackCategory, PackOffer } from '../pack.ts';
import { buildCategory, buildOffer } from '../record-builders.ts';

/** Offers of the coffee chain and its channels (docs/design/api-access.md 13). */

export const coffeeOutcomeTypes: readonly OutcomeTypeCreate[] = [
  {
    key: 'redeem',
    name: 'Redeem',
    description: 'The member redeemed the reward in store.',
    classification: 'positive',
    category: 'response',
  },
];

export const coffeeCategories: readonly PackCategory[] = [
  buildCategory(
    1,
    {
      name: 'Acquisition',
      description: 'Welcome new members and their friends.',
      icon: 'sparkles',
      color: 'green',
    },
    { 'First Steps': 'The first weeks of a membership.', Referral: 'Members invite members.' },
  ),
  buildCategory(
    2,
    { name: 'Retention', description: 'Keep valuable members.', icon: 'heart', color: 'red' },
    { 'Win Back': "For members who haven't visited in a while.", 'Tier Care': 'Rewards for loyal members.' },
  ),
  buildCategory(
    3,
    { name: 'Engagement', description: 'More reasons to visit.', icon: 'cup', color: 'amber' },
    { 'New Flavours': 'New on the menu.', Habit: 'Small goals that build a routine.' },
  ),
];

export const coffeeChannels: readonly ChannelCreate[] = [
  {
    name: 'Web',
    key: 'web',
    channelType: 'web',
    description: 'The account page on the website.',
    placements: [
      { name: 'Hero', key: 'hero', slotType: 'banner', maxSlots: 1, description: 'Banner above the fold.' },
      { name: 'Card', key: 'card', slotType: 'card', maxSlots: 3, description: 'Cards below the star balance.' },
    ],
  },
  {
    name: 'Email',
    key: 'email',
    channelType: 'email',
    description: 'The weekly newsletter.',
    placements: [{ name: 'Inbox', key: 'inbox', slotType: 'inline', maxSlots: 2, description: 'Body of the email.' }],
  },
  {
    name: 'Mobile Push',
    key: 'push',
    channelType: 'push',
    description: 'A line on the lock screen.',
    placements: [{ name: 'Alert', key: 'alert', slotType: 'inline', maxSlots: 1, description: 'The push message.' }],
  },
  {
    name: 'In App',
    key: 'in_app',
    channelType: 'in_app',
    impressionMode: 'explicit',
    description: 'Inside the app, which reports what was seen.',
    placements: [
      { name: 'Modal', key: 'modal', slotType: 'modal', maxSlots: 1, description: 'Sheet over the home screen.' },
    ],
  },
];

const firstSteps = { categoryName: 'Acquisition', subCategoryName: 'First Steps' };
const referral = { categoryName: 'Acquisition', subCategoryName: 'Referral' };
const winBack = { categoryName: 'Retention', subCategoryName: 'Win Back' };
const tierCare = { categoryName: 'Retention', subCategoryName: 'Tier Care' };
const newFlavours = { categoryName: 'Engagement', subCategoryName: 'New Flavours' };
const habit = { categoryName: 'Engagement', subCategoryName: 'Habit' };

export const coffeeOffers: readonly PackOffer[] = [
  buildOffer(firstSteps, 'Welcome Double Stars', [70, 60], {
    productType: 'latte',
    margin: 1.4,
    revenueValue: 6,
    tags: ['stars', 'new_member'],
    shortDesc: 'Double stars on the first three visits',
    description: 'Every drink on the first three visits earns double. Starts with the first scan of the card.',
  }),
  buildOffer(firstSteps, 'App Install Treat', [65, 55], {
    productType: 'food',
    margin: 0.8,
    revenueValue: 4,
    tags: ['app', 'free_item'],
    shortDesc: 'A free cookie for the first order in the app',
    description: 'Install the app, sign in with your member number, and get a cookie with your first order.',
  }),
  buildOffer(referral, 'Bring A Friend', [60, 65], {
    productType: 'latte',
    margin: 2.1,
    revenueValue: 9,
    tags: ['referral', 'stars'],
    shortDesc: '100 stars for you, 100 for a friend',
    description: 'Share your code. When your friend buys a first drink, you each get 100 stars.',
  }),
  buildOffer(winBack, 'We Miss You Latte', [80, 70], {
    productType: 'latte',
    margin: 0.9,
    revenueValue: 7,
    tags: ['free_item', 'latte'],
    shortDesc: 'A latte on the house',
    description: 'One free latte of any size on a visit within two weeks.',
  }),
  buildOffer(winBack, 'Come Back 30 Percent Off', [75, 62], {
    productType: 'food',
    margin: 1.1,
    revenueValue: 8,
    tags: ['discount'],
    shortDesc: '30 percent off the next order',
    description: '30 percent off one order of up to 20.00, drinks and food, in store or in the app.',
  }),
  buildOffer(tierCare, 'Gold Birthday Drink', [78, 58], {
    productType: 'espresso',
    margin: 0.7,
    revenueValue: 5,
    tags: ['free_item', 'birthday'],
    shortDesc: 'Your birthday drink, any size, any extras',
    description: 'One free drink with all the extras in the birthday week. No cake needed, but we have cake.',
  }),
  buildOffer(tierCare, 'Black Tier Tasting', [72, 75], {
    productType: 'espresso',
    margin: 1.2,
    revenueValue: 6,
    tags: ['event', 'espresso'],
    shortDesc: 'An evening with the roaster',
    description: 'Six single-origin espressos, the person who roasted them, and a seat for one guest.',
  }),
  buildOffer(newFlavours, 'Cold Brew Season', [58, 50], {
    productType: 'cold_brew',
    margin: 1.9,
    revenueValue: 6,
    tags: ['cold_brew', 'season'],
    shortDesc: 'The new cold brew, 25 extra stars',
    description: 'Slow-steeped for 20 hours. Order one this month and take 25 extra stars.',
  }),
  buildOffer(newFlavours, 'Oat Milk Week', [55, 45], {
    productType: 'latte',
    margin: 1.2,
    revenueValue: 5,
    tags: ['latte', 'oat'],
    shortDesc: 'Oat milk without the surcharge',
    description: "Oat milk at the price of cow's milk, all week.",
  }),
  buildOffer(newFlavours, 'Pastry Pairing', [57, 52], {
    productType: 'food',
    margin: 1.6,
    revenueValue: 7,
    tags: ['food', 'bundle'],
    shortDesc: 'A pastry for 1.50 with any drink before 11',
    description: 'One pastry to go with each drink, for 1.50 with a drink before 11.',
  }),
  buildOffer(habit, 'Morning Streak', [62, 48], {
    productType: 'espresso',
    margin: 1.5,
    revenueValue: 10,
    tags: ['stars', 'challenge'],
    shortDesc: 'Five mornings, 75 stars',
    description: 'Five visits before 10 on weekdays within two weeks earn 75 stars.',
  }),
  buildOffer(habit, 'Stars Challenge', [66, 54], {
    productType: 'tea',
    margin: 1.7,
    revenueValue: 12,
    tags: ['stars', 'challenge'],
    shortDesc: 'Three new drinks, 90 stars',
    description: "Try three drinks you haven't ordered before and earn 90 stars.",
  }),
];
