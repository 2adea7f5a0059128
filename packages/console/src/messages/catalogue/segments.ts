import { catalogueTitles as titles } from './catalogue-titles.ts';

export const segmentTexts = {
  segments: titles.segments,
  segment: titles.segment,
  uses: 'Where used',
  unused: 'Nothing uses this segment.',
  otherKinds: { campaign: 'Campaign', journey: 'Journey', trigger: 'Trigger' } as Readonly<Record<string, string>>,
  lead: 'Groups of customers who meet a condition. Membership is always up to date.',
  who: 'Condition',
  everybody: 'Everyone in the base schema.',
  customers: titles.customers,
  counting: 'counting',
  counted: 'counted',
  countedHead: 'Counted',
  base: 'Base schema',
  joins: 'Joined rows',
  join: (alias: string, none: boolean) => `${alias}: ${none ? 'no row where' : 'a row where'}`,
  view: 'Database view',
  members: 'Members',
  customer: 'Customer',
  nobody: 'No members right now',
  empty: 'No segments yet',
  emptyText:
    "A segment groups customers by a condition: gold members, or customers who haven't visited in three weeks.",
  all: 'all of',
  any: 'any of',
} as const;
