import { catalogueTitles as titles } from './catalogue-titles.ts';

export const segmentTexts = {
  segments: titles.segments,
  segment: titles.segment,
  lead: 'Customers who meet a condition. Membership is always up to date: nobody is put on a list by hand.',
  who: 'Who belongs to it',
  everybody: 'Everybody in the base schema.',
  customers: titles.customers,
  counting: 'still counting',
  counted: 'counted',
  countedHead: 'Counted',
  base: 'Base schema',
  joins: 'Further rows',
  join: (alias: string, none: boolean) => `${alias}: ${none ? 'no such row' : 'a row'} whose`,
  view: 'View in the database',
  members: 'Members',
  customer: 'Customer',
  nobody: 'Nobody belongs to it now',
  empty: 'No segments yet',
  emptyText:
    'A segment names customers by what is known of them: gold members, those who have not come for three weeks.',
  all: 'all of',
  any: 'any of',
} as const;
