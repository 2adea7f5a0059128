import type { PackContactPolicy, PackQualificationRule } from '../pack.ts';

/** Who may get what: the gates of the pack. */
export const coffeeRules: readonly PackQualificationRule[] = [
  {
    name: 'Age 16 And Over',
    description: 'The programme is open from 16.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 90,
    scope: 'global',
    // Someone who is not a member yet has no age on file.
    config: { attribute: 'age', operator: 'gte', value: 16, onMissing: 'pass' },
  },
  {
    name: 'Members With App',
    description: 'Streaks and challenges are counted by the app.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 60,
    scope: 'subcategory',
    scopeName: 'Habit',
    config: { attribute: 'app_user', operator: 'eq', value: true },
  },
  {
    name: 'Not Yet On App',
    description: 'The cookie is for the first sign-in.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 60,
    scope: 'offer',
    scopeName: 'App Install Treat',
    config: { attribute: 'app_user', operator: 'eq', value: false },
  },
  {
    name: 'Lapsed 21 Days',
    description: 'Win-back offers go to members without a visit for three weeks.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 70,
    scope: 'subcategory',
    scopeName: 'Win Back',
    config: { attribute: 'days_since_visit', operator: 'gte', value: 21 },
  },
  {
    name: 'Gold Or Better',
    description: 'Tier care is for those who have a tier.',
    ruleType: 'attribute_condition',
    stage: 'fit',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Tier Care',
    config: { attribute: 'tier', operator: 'in', value: ['gold', 'black'] },
  },
];

/** How often, at most. */
export const coffeePolicies: readonly PackContactPolicy[] = [
  {
    name: 'Three A Day, Ten A Week',
    description: 'No member sees more than three offers a day or ten a week, over all channels.',
    ruleType: 'frequency_cap',
    priority: 80,
    scope: 'global',
    config: { maxPerDay: 3, maxPerWeek: 10 },
  },
  {
    name: 'Email Cooldown 24 h',
    description: 'At most one letter a day.',
    ruleType: 'cooldown',
    priority: 60,
    scope: 'channel',
    scopeName: 'Email',
    config: { cooldownHours: 24 },
  },
];
