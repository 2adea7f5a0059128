import type { QualificationRuleType } from '@arbiter/contract/catalogue/qualification-rules';
import { policyTypeNames } from '../catalogue/policies.ts';

/** Labels of gates: what rules and policies require, and what they found. Values arrive formatted. */

const hours = (value: string) => (value === '1' ? '1 hour' : `${value} hours`);
const days = (value: string) => (value === '1' ? '1 day' : `${value} days`);

export const gateTexts = {
  missing: 'missing',
  nothing: 'none',
  yes: 'yes',
  no: 'no',
  hours,
  days,
  /** Condition operators. */
  operators: {
    eq: (value: string) => `is ${value}`,
    neq: (value: string) => `is not ${value}`,
    gt: (value: string) => `above ${value}`,
    gte: (value: string) => `at least ${value}`,
    lt: (value: string) => `below ${value}`,
    lte: (value: string) => `at most ${value}`,
    between: (value: string) => `between ${value}`,
    in: (value: string) => `one of ${value}`,
    not_in: (value: string) => `not one of ${value}`,
    contains: (value: string) => `contains ${value}`,
    not_contains: (value: string) => `does not contain ${value}`,
    starts_with: (value: string) => `starts with ${value}`,
    exists: () => 'has a value',
    not_exists: () => 'has no value',
    within_last_days: (value: string) => `within the last ${days(value)}`,
    not_within_last_days: (value: string) => `not within the last ${days(value)}`,
    regex: (value: string) => `matches ${value}`,
  } as Readonly<Record<string, (value: string) => string>>,
  otherOperator: (operator: string, value: string) => `${operator} ${value}`.trim(),
  and: (low: string, high: string) => `${low} and ${high}`,
  ofOffer: (attribute: string) => `offer ${attribute}`,
  allSegments: (names: string) => `member of ${names}`,
  noSegments: (names: string) => `not a member of ${names}`,
  memberOf: (names: string) => `member of ${names}`,
  memberOfNone: 'not a member',
  propensity: (model: string | null) => (model === null ? 'propensity' : `propensity from ${model}`),
  noPropensity: 'no propensity',
  ageBetween: (least: string, most: string) => `${least} to ${days(most)} ago`,
  ageAtLeast: (least: string) => `at least ${days(least)} ago`,
  ageAtMost: (most: string) => `at most ${days(most)} ago`,
  ago: (value: string) => `${days(value)} ago`,
  upTo: (max: string, period: string) =>
    max === '0' ? `no contact ${period}` : `up to ${max === '1' ? '1 contact' : `${max} contacts`} ${period}`,
  contacts: (value: string, period: string) => `${value === '1' ? '1 contact' : `${value} contacts`} ${period}`,
  periods: {
    daily: 'today',
    weekly: 'this week',
    monthly: 'this month',
    alltime: 'in total',
  } as Readonly<Record<string, string>>,
  rollingDays: (value: string) => `in the last ${days(value)}`,
  rollingHours: (value: string) => `in the last ${hours(value)}`,
  acrossChannels: (value: string) =>
    value === '0' ? 'across all channels' : `across ${value === '1' ? '1 channel' : `${value} channels`}`,
  ofCategory: (name: string) => `for ${name}`,
  cooldown: (length: string) => `${hours(length)} since the last contact`,
  budget: (field: string, threshold: string) => `${field} below ${threshold} across all customers`,
  budgetUsed: (field: string, actual: string) => `${field} ${actual}`,
  outcome: (outcomes: string, length: string) => `no ${outcomes} within ${days(length)}`,
  outcomeWas: (outcome: string, since: string) => `${outcome} ${days(since)} ago`,
  window: (from: string, to: string, week: string, zone: string | null) =>
    `${from} to ${to}, ${week}${zone === null ? '' : ` (${zone})`}`,
  windowNow: (day: string, hour: string) => `${day}, ${hour}`,
  everyDay: 'every day',
  weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  shortWeekdays: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  hour: (value: string) => `${value.padStart(2, '0')}:00`,
  hidden: 'withheld',
  exclusion: 'no other offer from its group',
  excludedBy: (offer: string) => `${offer} ranked higher`,
  categoryPause: (length: string) => `no contact in this category within ${days(length)}`,
  lastContactAgo: (since: string) => `last contact ${days(since)} ago`,
  until: (instant: string) => `allowed again ${instant}`,
  override: 'overrides other policies',
  overrideReason: (reason: string | null) => reason ?? 'no reason given',
  lifted: (value: string) =>
    value === '0' ? 'nothing to override' : `overrode ${value === '1' ? '1 policy' : `${value} policies`}`,
  noContact: 'contact allowed',
  doNotContact: (source: string | null) => (source === null ? 'do not contact' : `do not contact (${source})`),
  metricNot: (metric: string, comparison: string) => `${metric} not ${comparison}`,
  cannotEvaluate: "couldn't be evaluated, so it blocks",
  eligibility: {
    requiredSegments: (names: string) => `member of ${names}`,
    excludedSegments: (name: string) => `not a member of ${name}`,
    conditions: "meets the offer's conditions",
    propensityThreshold: (least: string) => `propensity at least ${least}`,
  },
  doesNotHold: 'not met',
  isMember: (name: string) => `member of ${name}`,
} as const;

/** Labels of rule and policy types. */
export const gateTypeNames: Readonly<Record<string, string>> = {
  ...({
    segment_required: 'Segment',
    attribute_condition: 'Attribute',
    propensity_threshold: 'Propensity',
    recency_check: 'Recency',
    metric_condition: 'Metric',
    offer_attribute: 'Offer attribute',
  } satisfies Record<QualificationRuleType, string>),
  ...policyTypeNames,
};
