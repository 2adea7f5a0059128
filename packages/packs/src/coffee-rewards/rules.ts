import { type PackContactPolicy, type PackQualificationRule, type PackSegment, reference } from '../pack.ts';

const members = 'coffee_members';

export const coffeeSegments: readonly PackSegment[] = [
  {
    name: 'High Value Members',
    description: 'Members with a gold or black card.',
    status: 'active',
    baseSchemaName: members,
    filters: [{ field: 'tier', operator: 'in', value: ['gold', 'black'] }],
  },
  {
    name: 'Lapsed Members',
    description: 'Members without a visit for three weeks.',
    status: 'active',
    baseSchemaName: members,
    filters: [{ field: 'days_since_visit', operator: 'gte', value: 21 }],
  },
  {
    name: 'App Users',
    description: 'Members who have signed in to the app.',
    status: 'active',
    baseSchemaName: members,
    filters: [{ field: 'app_user', operator: 'eq', value: true }],
  },
];

/** The pack's qualification rules. */
export const coffeeRules: readonly PackQualificationRule[] = [
  {
    name: 'Age 16 And Over',
    description: 'The programme is open from 16.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 90,
    scope: 'global',
    // Customers who aren't members yet have no age on file.
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
    ruleType: 'segment_required',
    stage: 'fit',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Tier Care',
    config: { requiredSegments: [reference('segment', 'High Value Members')] },
  },
  {
    name: 'Recent Visitor',
    description: 'News are for those who were here in the last two weeks; for others they count half.',
    ruleType: 'recency_check',
    stage: 'match',
    priority: 40,
    scope: 'category',
    scopeName: 'Engagement',
    config: { attribute: 'last_visit_at', maxDays: 14, onMissing: 'pass' },
  },
];

/** The pack's contact policies. */
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
  {
    name: 'Push Quiet Hours',
    description: 'Phones are quiet before 8 and after 21.',
    ruleType: 'time_window',
    priority: 70,
    scope: 'channel',
    scopeName: 'Mobile Push',
    config: { startHour: 8, endHour: 21 },
  },
  {
    name: 'Pause After Convert 14 Days',
    description: 'Who took an offer does not see it again for two weeks.',
    ruleType: 'outcome_based',
    priority: 55,
    scope: 'global',
    config: { afterOutcome: ['convert', 'redeem'], suppressForDays: 14, per: 'offer' },
  },
  {
    name: 'Pause After Dismiss 7 Days',
    description: 'Who waved an offer away does not see it for a week.',
    ruleType: 'outcome_based',
    priority: 54,
    scope: 'global',
    config: { afterOutcome: 'dismiss', suppressForDays: 7, per: 'offer' },
  },
  {
    name: 'One Win Back',
    description: 'Of the two win-back offers, one at a time.',
    ruleType: 'mutual_exclusion',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Win Back',
    config: {
      excludeOfferIds: [reference('offer', 'We Miss You Latte'), reference('offer', 'Come Back 30 Percent Off')],
      lookbackDays: 14,
    },
  },
];
