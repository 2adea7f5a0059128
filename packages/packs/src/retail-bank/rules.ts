import { type PackContactPolicy, type PackQualificationRule, type PackSegment, reference } from '../pack.ts';

const clients = 'bank_clients';

export const bankSegments: readonly PackSegment[] = [
  {
    name: 'Affluent Clients',
    description: 'Clients with 5,000 or more in their accounts.',
    status: 'active',
    baseSchemaName: clients,
    filters: [{ field: 'wealth_band', operator: 'in', value: ['affluent', 'private'] }],
  },
  {
    name: 'Young Adults',
    description: 'Clients under 26.',
    status: 'active',
    baseSchemaName: clients,
    filters: [{ field: 'age', operator: 'lt', value: 26 }],
  },
  {
    name: 'Loan Holders',
    description: 'Clients with a housing loan or a personal loan.',
    status: 'active',
    baseSchemaName: clients,
    filters: {
      logic: 'or',
      conditions: [
        { field: 'housing_loan', operator: 'eq', value: true },
        { field: 'personal_loan', operator: 'eq', value: true },
      ],
    },
  },
  {
    name: 'Complaint Open',
    description: 'Clients with an unanswered complaint.',
    status: 'active',
    baseSchemaName: clients,
    filters: [{ field: 'complaint_open', operator: 'eq', value: true }],
  },
];

/** The pack's qualification rules. */
export const bankRules: readonly PackQualificationRule[] = [
  {
    name: 'Adult',
    description: 'Contracts require adults.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 90,
    scope: 'global',
    config: { attribute: 'age', operator: 'gte', value: 18 },
  },
  {
    name: 'No Credit Default',
    description: 'No further credit for clients in default.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 80,
    scope: 'category',
    scopeName: 'Borrowing',
    config: { attribute: 'credit_default', operator: 'eq', value: false },
  },
  {
    name: 'Has Employment',
    description: 'Loans require an income.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 70,
    scope: 'subcategory',
    scopeName: 'Loans',
    config: { attribute: 'job', operator: 'not_in', value: ['unknown', 'student'] },
  },
  {
    name: 'Under 26',
    description: 'The youth rate ends on the 26th birthday.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 60,
    scope: 'offer',
    scopeName: 'Youth Saver',
    config: { attribute: 'age', operator: 'lt', value: 26 },
  },
  {
    name: 'Low Risk',
    description: 'Loans go to clients who can most likely repay them.',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    priority: 65,
    scope: 'subcategory',
    scopeName: 'Loans',
    // Clients of an uploaded file have no score yet; the bank reviews their loans by hand.
    config: { attribute: 'risk_score', operator: 'lt', value: 0.6, onMissing: 'pass' },
  },
  {
    name: 'Affluent Or Private',
    description: "Investing is for money that isn't needed soon.",
    ruleType: 'segment_required',
    stage: 'fit',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Investing',
    config: { requiredSegments: [reference('segment', 'Affluent Clients')] },
  },
  {
    name: 'Deposit Propensity',
    description: 'The deposit ranks lower for clients who are unlikely to want it.',
    ruleType: 'propensity_threshold',
    stage: 'match',
    priority: 40,
    scope: 'offer',
    scopeName: 'Term Deposit 12 Months',
    config: { minScore: 0.05, modelKey: reference('model', 'bank-gbm'), onMissing: 'pass' },
  },
];

/** The pack's contact policies. */
export const bankPolicies: readonly PackContactPolicy[] = [
  {
    name: 'Four A Week',
    description: 'At most four contacts a week per client, across all channels.',
    ruleType: 'customer_total_cap',
    priority: 80,
    scope: 'global',
    config: { maxTotal: 4, periodType: 'weekly' },
  },
  {
    name: 'One SMS A Week',
    description: 'At most one text message a week.',
    ruleType: 'frequency_cap',
    priority: 70,
    scope: 'channel',
    scopeName: 'SMS',
    config: { maxPerWeek: 1 },
  },
  {
    name: 'SMS Hours',
    description: 'Text messages from 9:00 to 20:00, never on Sundays.',
    ruleType: 'time_window',
    priority: 75,
    scope: 'channel',
    scopeName: 'SMS',
    config: { startHour: 9, endHour: 20, daysOfWeek: [1, 2, 3, 4, 5, 6] },
  },
  {
    name: 'Email Cooldown 72 h',
    description: 'At most one email in three days.',
    ruleType: 'cooldown',
    priority: 60,
    scope: 'channel',
    scopeName: 'Email',
    config: { cooldownHours: 72 },
  },
  {
    name: 'Not Interested 30 Days',
    description: "After declining an offer, a client doesn't see it for 30 days.",
    ruleType: 'outcome_based',
    priority: 65,
    scope: 'global',
    config: { afterOutcome: ['not_interested', 'dismiss'], suppressForDays: 30, per: 'offer' },
  },
  {
    name: 'One Card Offer',
    description: 'Only one card offer at a time.',
    ruleType: 'mutual_exclusion',
    priority: 50,
    scope: 'subcategory',
    scopeName: 'Cards',
    config: {
      excludeOfferIds: [
        reference('offer', 'Cashback Card'),
        reference('offer', 'Travel Card'),
        reference('offer', 'Card Limit Increase'),
      ],
      lookbackDays: 0,
    },
  },
  {
    name: 'Open Complaint',
    description: 'No sales while a complaint is open. Help is still offered.',
    ruleType: 'segment_exclusion',
    priority: 85,
    scopeNames: [
      { scope: 'category', name: 'Savings' },
      { scope: 'category', name: 'Borrowing' },
    ],
    config: { excludeSegments: [reference('segment', 'Complaint Open')] },
  },
];
