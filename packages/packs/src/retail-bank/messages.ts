/** Texts of one offer, which creatives.ts lays out per channel. */
export interface BankMessage {
  readonly subject: string;
  readonly headline: string;
  readonly body: string;
  /** For the app and text messages. */
  readonly short: string;
  /** What an adviser can say in person. */
  readonly talk: string;
  readonly ctaText: string;
  /** Path on the website and in the app's deep link. */
  readonly path: string;
}

export const bankMessages: Readonly<Record<string, BankMessage>> = {
  'Term Deposit 12 Months': {
    subject: "A rate that won't move for a year",
    headline: '3.2 percent, and no surprises',
    body: "Set aside what you won't need until next year. Your rate is fixed today and stays fixed, whatever the markets do.",
    short: 'Fixed for 12 months: 3.2 percent from 1,000.',
    talk: 'Ask what the money in the checking account is for. Anything not needed for a year earns 3.2 percent here.',
    ctaText: 'Open the deposit',
    path: 'term-deposit',
  },
  'Flexible Saver': {
    subject: "Savings that are there when the washing machine isn't",
    headline: '2.1 percent, and no notice',
    body: 'Move money in when the month was good and out when it was not. No minimum, no notice, interest every quarter.',
    short: 'Save without notice at 2.1 percent.',
    talk: "For clients who don't want to lock money away: no minimum, no notice, and still 2.1 percent.",
    ctaText: 'Start saving',
    path: 'flexible-saver',
  },
  'Youth Saver': {
    subject: 'Your first thousand deserves a good rate',
    headline: '3 percent until you are 26',
    body: 'The first 3,000 earn 3 percent, the card is free, and nobody asks for a minimum. Opening takes four minutes in the app.',
    short: 'Under 26? 3 percent on your first 3,000.',
    talk: 'Under 26 this is the best rate we have. It becomes a Flexible Saver on the client’s 26th birthday.',
    ctaText: 'Open it in four minutes',
    path: 'youth-saver',
  },
  'Index Fund Plan': {
    subject: 'A small piece of 1,600 companies, every month',
    headline: 'The whole world, from 50 a month',
    body: 'One fund, no order fee in the first year, and you can pause any time. Time does most of the work.',
    short: 'Invest from 50 a month, without order fees this year.',
    talk: 'Show the ten-year chart, then the bad year in it. Start small: 50 a month is a fine beginning.',
    ctaText: 'Plan my 50 a month',
    path: 'index-plan',
  },
  'Pension Top Up': {
    subject: 'What will be left of each month at 67?',
    headline: 'Close the gap while there is time',
    body: 'A payment each year, and a clear forecast of what it adds to every month of retirement. See yours before you decide.',
    short: 'See what a pension top up adds to each month.',
    talk: 'Open the forecast together and let the client move the slider. The number per month says more than the sum.',
    ctaText: 'See my forecast',
    path: 'pension',
  },
  'Cashback Card': {
    subject: 'One percent of everything, back to you',
    headline: 'Groceries that pay you back',
    body: 'Every purchase returns one percent at the end of the month. The first year is free, and so is the second card.',
    short: '1 percent back on everything you buy. First year free.',
    talk: 'Take last month’s card statement and work out one percent of it. Most clients are surprised.',
    ctaText: 'Get the card',
    path: 'cashback-card',
  },
  'Travel Card': {
    subject: 'Pay abroad as if you were at home',
    headline: 'No fees from Porto to Perth',
    body: 'Pay and withdraw in any currency without a fee. Cancelled flights and lost suitcases are insured with the card.',
    short: 'Going away? Pay abroad without fees.',
    talk: 'If there were payments abroad this year, add up the fees: the card would have saved them.',
    ctaText: 'Pack the card',
    path: 'travel-card',
  },
  'Card Limit Increase': {
    subject: 'A little more room on your card',
    headline: 'Raise your limit in two taps',
    body: 'Your account shows that there is room for it. A higher limit costs nothing unless you use it.',
    short: 'Raise your card limit in two taps.',
    talk: 'Offer it before a large purchase or a journey, and never as a way out of a tight month.',
    ctaText: 'Choose my limit',
    path: 'card-limit',
  },
  'Green Home Loan': {
    subject: 'The heat pump pays part of the rate',
    headline: 'Warm rooms, cooler rate',
    body: 'For insulation, a heat pump or solar panels the rate is 0.4 points lower. We check which grants you can add.',
    short: 'Renovating? 0.4 points less for a greener home.',
    talk: 'Ask about the heating’s age. We also fill in the form for the public grant; few know that.',
    ctaText: 'Work out my rate',
    path: 'green-home',
  },
  'Loan Consolidation': {
    subject: 'One payment a month instead of four',
    headline: 'Tidy up your loans',
    body: 'We put what is running into one loan: one rate, one date, and in most cases less to pay each month.',
    short: 'Several loans? Make them one, for less a month.',
    talk: 'Bring the running contracts and compare the total cost, not just the month. If it is not better, say so.',
    ctaText: 'Compare my loans',
    path: 'consolidation',
  },
  'Car Loan': {
    subject: 'The keys on Friday?',
    headline: 'A yes or a no within the hour',
    body: 'From 5,000 to 50,000, over up to seven years. Electric cars pay half a point less. Answer within the hour.',
    short: 'Car loan: an answer within the hour.',
    talk: 'Name the whole cost per month, with insurance and charging. Electric cars get half a point off.',
    ctaText: 'Ask for my rate',
    path: 'car-loan',
  },
  'Paperless Statements': {
    subject: 'Your letter box says thank you',
    headline: 'Statements without the paper',
    body: 'Find every statement in the app on the day it is made, and for ten years after. Switch back whenever you like.',
    short: 'Get your statements in the app instead.',
    talk: 'It takes one signature today. The client can have paper back at any time.',
    ctaText: 'Go paperless',
    path: 'paperless',
  },
  'Mobile App Activation': {
    subject: 'The branch that never closes',
    headline: 'Your accounts, one fingerprint away',
    body: 'Activate the app once with your card. From then on a fingerprint opens it, and a tap blocks a lost card.',
    short: 'Activate the app: your bank, one fingerprint away.',
    talk: 'Do it together at the desk: card in the reader, code in the app, done in three minutes.',
    ctaText: 'Activate the app',
    path: 'app',
  },
  'Fraud Alerts On': {
    subject: 'We would rather ask once too often',
    headline: 'We ask before the money leaves',
    body: 'When a payment does not look like you, we ask first. Switch alerts on once and sleep a little better. It is free.',
    short: 'Turn on fraud alerts. Free, and done in a tap.',
    talk: 'Switch it on now; it is free. Mention that we never ask for a code on the phone.',
    ctaText: 'Turn alerts on',
    path: 'fraud-alerts',
  },
};
