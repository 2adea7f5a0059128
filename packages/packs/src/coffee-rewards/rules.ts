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
    description: "Members who haven't visited for three weeks.",
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
    description: 'The program is open to people aged 16 and over.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 90,
    scope: 'global',
    // Customers who aren't members yet have no age on file.
    config: { attribute: 'age', operator: 'gte', value: 16, onMissing: 'pass' },
  },
  {
    name: 'Members With App',
    description: 'The app counts streaks and challenges.',
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
    description: "Win-back offers go to members who haven't visited for three weeks.",
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 70,
    scope: 'subcategory',
    scopeName: 'Win Back',
    config: { attribute: 'days_since_visit', operator: 'gte', value: 21 },
  },
  {
    name: 'Gold Or Better',
    description: 'Tier care is for members with a tier.',
    ruleType: 'segment_required',
    stage: 'fit',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Tier Care',
    config: { requiredSegments: [reference('segment', 'High Value Members')] },
  },
  {
    name: 'Recent Visitor',
    description: 'New flavors are for members who visited in the last two weeks; for others they score half.',
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
    description: 'A member sees at most three offers a day and ten a week, across all channels.',
    ruleType: 'frequency_cap',
    priority: 80,
    scope: 'global',
    config: { maxPerDay: 3, maxPerWeek: 10 },
  },
  {
    name: 'Email Cooldown 24 h',
    description: 'At most one email a day.',
    ruleType: 'cooldown',
    priority: 60,
    scope: 'channel',
    scopeName: 'Email',
    config: { cooldownHours: 24 },
  },
  {
    name: 'Push Quiet Hours',
    description: 'No push messages before 8:00 or after 21:00.',
    ruleType: 'time_window',
    priority: 70,
    scope: 'channel',
    scopeName: 'Mobile Push',
    config: { startHour: 8, endHour: 21 },
  },
  {
    name: 'Pause After Convert 14 Days',
    description: "After converting, a member doesn't see the offer again for two weeks.",
    ruleType: 'outcome_based',
    priority: 55,
    scope: 'global',
    config: { afterOutcome: ['convert', 'redeem'], suppressForDays: 14, per: 'offer' },
  },
  {
    name: 'Pause After Dismiss 7 Days',
    description: "After dismissing an offer, a member doesn't see it for a week.",
    ruleType: 'outcome_based',
    priority: 54,
    scope: 'global',
    config: { afterOutcome: 'dismiss', suppressForDays: 7, per: 'offer' },
  },
  {
    name: 'One Win Back',
    description: 'Only one of the two win-back offers at a time.',
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
