import { counted } from '../counted.ts';
/** Texts about an offer's chances: what happened in recent decisions, or what a simulation says before it's live. */
export const offerWinTexts = {
  title: 'Can it win?',
  fates: 'Last 7 days',
  fate: 'What happened',
  decisions: 'Decisions',
  selectedIn: (selected: string, all: string, share: string) =>
    `Selected in ${selected} of ${counted(all, 'decision')} that considered it (${share}).`,
  mostly: (reason: string, count: string) => `Most often, it was ${reason} (${count}).`,
  notConsidered: 'No traced decision considered this offer in the last 7 days.',
  otherDrill: "These reasons can't be listed together.",
  fateNames: {
    selected: 'Selected',
    qualification: 'Blocked by a rule',
    suppression: 'Suppressed for the customer',
    contact_policy: 'Blocked by a policy',
    capacity: 'Budget, stock or cap',
    scored_too_low: 'Scored too low',
    other: 'Other reasons',
  },
  reasons: {
    selected: 'selected',
    qualification: 'blocked by a rule',
    suppression: 'suppressed for the customer',
    contact_policy: 'blocked by a policy',
    capacity: 'out of budget, stock or caps',
    scored_too_low: 'outscored by other offers',
    other: 'dropped for other reasons',
  },
  beforeLive:
    'Simulates decisions for a sample of a segment as if this offer and its creatives were active. Nothing is stored or counted.',
  needsCreative: 'Add a creative first',
  outdated: 'The offer changed since this simulation.',
  withOffer: 'With this offer',
  withoutOffer: 'Without it',
  first: (share: string, first: string, sampled: string) =>
    `Ranks first for ${share} of customers: ${first} of ${sampled} sampled.`,
  neverFirst: (sampled: string) => `Ranks first for none of ${counted(sampled, 'sampled customer')}.`,
} as const;
