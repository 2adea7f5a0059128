/** Texts of one offer, which creatives.ts lays out per channel. The decision fills in `{first_name}`. */
export interface OfferMessage {
  readonly subject: string;
  readonly headline: string;
  readonly body: string;
  /** For the lock screen and the app. */
  readonly short: string;
  readonly ctaText: string;
  /** Path on the website and in the app's deep link. */
  readonly path: string;
}

export const offerMessages: Readonly<Record<string, OfferMessage>> = {
  'Welcome Double Stars': {
    subject: 'Welcome, {first_name}: your stars count double',
    headline: 'Good to have you, {first_name}',
    body: 'Your first three visits earn double stars. Just scan your card at the register.',
    short: 'Double stars on your first three visits.',
    ctaText: 'Find my store',
    path: 'welcome',
  },
  'App Install Treat': {
    subject: '{first_name}, a cookie is waiting for you',
    headline: 'First app order, free cookie',
    body: 'Order ahead, skip the queue, and find a chocolate cookie in the bag. It is our way of saying hello.',
    short: 'Your first app order comes with a cookie.',
    ctaText: 'Get the app',
    path: 'app-treat',
  },
  'Bring A Friend': {
    subject: 'Coffee is better in company, {first_name}',
    headline: '100 stars for you, 100 for a friend',
    body: 'Send a friend your code. With their first drink you both receive 100 stars.',
    short: 'Share your code: 100 stars each.',
    ctaText: 'Share my code',
    path: 'friends',
  },
  'We Miss You Latte': {
    subject: 'We miss you, {first_name}: this latte is on us',
    headline: 'It has been a while, {first_name}',
    body: 'Your seat by the window is free, and so is your next latte. Any size, at any store, within two weeks.',
    short: 'Your next latte is on the house.',
    ctaText: 'Save my latte',
    path: 'latte-on-us',
  },
  'Come Back 30 Percent Off': {
    subject: '30 percent off, because we would love to see you',
    headline: '30 percent off your next order',
    body: 'Whatever you feel like, {first_name}: your next order of up to 20.00 is 30 percent off.',
    short: '30 percent off your next order, {first_name}.',
    ctaText: 'Use my 30 percent',
    path: 'thirty-off',
  },
  'Gold Birthday Drink': {
    subject: '{first_name}, your birthday drink is ready when you are',
    headline: 'Happy birthday week, {first_name}',
    body: 'Any drink, any size, all the extras. Just show your card.',
    short: 'Your birthday drink is on us, extras included.',
    ctaText: 'Choose my drink',
    path: 'birthday',
  },
  'Black Tier Tasting': {
    subject: 'An invitation, {first_name}: an evening with the roaster',
    headline: 'Six espressos, one evening',
    body: 'Taste six single origins with the person who roasted them. There is a seat for you and one for a guest.',
    short: 'You are invited to the roastery, {first_name}.',
    ctaText: 'Reserve two seats',
    path: 'tasting',
  },
  'Cold Brew Season': {
    subject: 'Twenty hours in the making: the new cold brew',
    headline: 'Cold brew is back',
    body: 'Steeped slowly, served cold, smooth to the last sip. Order one this month and take 25 extra stars.',
    short: 'The new cold brew: 25 extra stars.',
    ctaText: 'See the cold brews',
    path: 'cold-brew',
  },
  'Oat Milk Week': {
    subject: 'Oat milk week: the surcharge takes a holiday',
    headline: 'Oat milk, same price',
    body: 'All week your latte with oat milk costs what it costs with cow milk. Curious, {first_name}?',
    short: 'Oat milk without the surcharge, all week.',
    ctaText: 'Order with oat',
    path: 'oat-week',
  },
  'Pastry Pairing': {
    subject: '{first_name}, the baker has chosen for you',
    headline: 'A pastry for 1.50 before 11',
    body: 'Each drink has its pastry. Order yours before 11 and the baker’s choice is 1.50.',
    short: 'Before 11: the baker’s choice for 1.50.',
    ctaText: 'See my pairing',
    path: 'pairing',
  },
  'Morning Streak': {
    subject: 'Five mornings, 75 stars, one good habit',
    headline: 'Start a streak, {first_name}',
    body: 'Come by before 10 on five working days in two weeks and collect 75 stars.',
    short: 'Five mornings, 75 stars. In?',
    ctaText: 'Start my streak',
    path: 'streak',
  },
  'Stars Challenge': {
    subject: 'Three drinks you have never tried, {first_name}',
    headline: 'The stars challenge',
    body: 'Order three drinks that are new to you. We picked them to match your taste, and 90 stars wait at the end.',
    short: 'Three new drinks, 90 stars.',
    ctaText: 'Show me three',
    path: 'challenge',
  },
};
