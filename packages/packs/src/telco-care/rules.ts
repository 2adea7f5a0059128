import type { RuleConfigs } from '@arbiter/contract';
import { type PackContactPolicy, type PackQualificationRule, type PackSegment, reference } from '../pack.ts';

const subscribers = 'telco_subscribers';

export const telcoSegments: readonly PackSegment[] = [
  {
    name: 'At Risk',
    description: 'Subscribers who are as likely to leave as to stay.',
    status: 'active',
    baseSchemaName: subscribers,
    filters: [{ field: 'churn_risk', operator: 'gte', value: 0.5 }],
  },
  {
    name: 'Contract Ending',
    description: 'Subscribers whose contract ends within three months.',
    status: 'active',
    baseSchemaName: subscribers,
    filters: [{ field: 'contract_months_left', operator: 'lte', value: 3 }],
  },
  {
    name: 'Families',
    description: 'Subscribers with several lines on one bill.',
    status: 'active',
    baseSchemaName: subscribers,
    filters: [{ field: 'is_family', operator: 'eq', value: true }],
  },
];

const condition = (
  rule: Pick<PackQualificationRule, 'name' | 'description' | 'scope' | 'stage' | 'priority'> & { scopeName: string },
  attribute: string,
  operator: NonNullable<RuleConfigs['attribute_condition']['operator']>,
  value: unknown,
  more: object = {},
): PackQualificationRule => ({
  ...rule,
  ruleType: 'attribute_condition',
  config: { attribute, operator, value, ...more },
});

/** The pack's qualification rules. */
export const telcoRules: readonly PackQualificationRule[] = [
  {
    name: 'Has Value',
    description: 'The trial is for subscribers who bought something in 180 days.',
    ruleType: 'metric_condition',
    scope: 'offer',
    scopeName: 'Streaming Trial',
    config: { metricId: reference('metric', 'value_180d'), operator: 'gt', threshold: 0 },
  },
  condition(
    {
      name: 'Contract Ends Soon',
      description: 'The bonus is for contracts that end within three months.',
      stage: 'eligibility',
      priority: 70,
      scope: 'offer',
      scopeName: 'Contract Renewal Bonus',
    },
    'contract_months_left',
    'lte',
    3,
  ),
  condition(
    {
      name: 'High Churn',
      description: 'Credits and bonuses go to subscribers who may leave.',
      stage: 'fit',
      priority: 70,
      scope: 'subcategory',
      scopeName: 'Save',
    },
    'churn_risk',
    'gte',
    0.5,
  ),
  condition(
    {
      name: 'Old Device',
      description: 'A two-year-old phone is due for an upgrade.',
      stage: 'eligibility',
      priority: 60,
      scope: 'subcategory',
      scopeName: 'Device',
    },
    'device_age_months',
    'gte',
    24,
  ),
  condition(
    {
      name: 'Not On Max',
      description: 'Max is the largest plan.',
      stage: 'eligibility',
      priority: 60,
      scope: 'offer',
      scopeName: 'Upgrade To Max',
    },
    'plan',
    'neq',
    'max',
  ),
  condition(
    {
      name: 'No Home Internet',
      description: 'Only for subscribers without home internet.',
      stage: 'eligibility',
      priority: 60,
      scope: 'offer',
      scopeName: 'Home Internet Add On',
    },
    'home_internet',
    'eq',
    false,
  ),
  condition(
    {
      name: 'Travels',
      description: 'The pass is for subscribers who travel abroad.',
      stage: 'eligibility',
      priority: 60,
      scope: 'offer',
      scopeName: 'Roaming Pass',
    },
    'roaming_user',
    'eq',
    true,
  ),
  condition(
    {
      name: 'Pays On Time',
      description: 'Devices are for subscribers who pay on time.',
      stage: 'eligibility',
      priority: 65,
      scope: 'subcategory',
      scopeName: 'Device',
    },
    'payment_late',
    'eq',
    false,
  ),
  condition(
    {
      name: 'Happy Enough',
      description: 'Unhappy subscribers need help first, not more to buy.',
      stage: 'match',
      priority: 50,
      scope: 'category',
      scopeName: 'Grow',
    },
    'nps',
    'gte',
    6,
    { onMissing: 'pass', penalty: 0.4 },
  ),
];

/** The pack's contact policies. */
export const telcoPolicies: readonly PackContactPolicy[] = [
  {
    name: 'Two A Day',
    description: 'At most two offers a day per subscriber.',
    ruleType: 'frequency_cap',
    priority: 80,
    scope: 'global',
    config: { maxPerDay: 2 },
  },
  {
    name: 'Five Across Channels A Week',
    description: 'Push, text messages and emails together: five a week.',
    ruleType: 'cross_channel_cap',
    priority: 75,
    scope: 'global',
    config: {
      maxTotal: 5,
      periodType: 'weekly',
      appliesAcross: [reference('channel', 'Mobile Push'), reference('channel', 'SMS'), reference('channel', 'Email')],
    },
  },
  {
    name: 'Unsubscribe 90 Days',
    description: 'No contact on a channel for 90 days after unsubscribing from it.',
    ruleType: 'outcome_based',
    priority: 85,
    scope: 'global',
    config: { afterOutcome: 'unsubscribe', suppressForDays: 90, per: 'channel' },
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
    name: 'Save Wins',
    description: 'No other sales for a week after an attempt to keep a subscriber.',
    ruleType: 'category_suppression',
    priority: 60,
    scope: 'category',
    scopeName: 'Grow',
    config: {
      categoryId: reference('category', 'Grow'),
      triggerCategoryId: reference('category', 'Retain'),
      suppressionDays: 7,
    },
  },
  {
    name: 'Credit Budget',
    description: "This year's credits are limited to 60,000.",
    ruleType: 'budget_exhausted',
    priority: 65,
    scope: 'offer',
    scopeName: 'Loyalty Credit',
    config: { budgetField: 'spend', threshold: 60_000 },
  },
  {
    name: 'Tired Of Us',
    description: 'No offers after five negative answers in 90 days.',
    ruleType: 'metric_condition',
    priority: 55,
    scope: 'global',
    config: { metricId: reference('metric', 'dismissals_90d'), operator: 'gte', threshold: 5 },
  },
];
