import type { ContactPolicyType } from '@arbiter/contract/deciding/contact-policy-parts';
import { counted } from '../counted.ts';
import { catalogueTitles as titles } from './catalogue-titles.ts';
import { conditionText, listText } from './conditions.ts';

type PolicyConfig = Readonly<Record<string, unknown>>;

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
const objectsOf = (value: unknown): readonly PolicyConfig[] =>
  Array.isArray(value) ? value.filter((one): one is PolicyConfig => typeof one === 'object' && one !== null) : [];

export const policyTypeNames: Readonly<Record<ContactPolicyType, string>> = {
  frequency_cap: 'Frequency cap',
  cooldown: 'Cooldown',
  budget_exhausted: 'Budget',
  outcome_based: 'After an outcome',
  segment_exclusion: 'Excluded segments',
  time_window: 'Time window',
  mutual_exclusion: 'Mutual exclusion',
  cross_channel_cap: 'Cross-channel cap',
  customer_total_cap: 'Cap per customer',
  offer_category_cap: 'Cap per category',
  allow_override: 'Override',
  category_suppression: 'Category pause',
  do_not_contact: 'Do not contact',
  metric_condition: 'Metric',
};

const periods: Readonly<Record<string, string>> = {
  daily: 'per day',
  weekly: 'per week',
  monthly: 'per month',
  alltime: 'in total',
};

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function caps(config: PolicyConfig): readonly string[] {
  const fixed = [
    ['maxPerDay', 'per day'],
    ['maxPerWeek', 'per week'],
    ['maxPerMonth', 'per month'],
    ['maxTotal', 'in total'],
  ] as const;
  return fixed.flatMap(([key, period]) => {
    const most = numberOf(config[key]);
    return most === null ? [] : [`${most} ${period}`];
  });
}

const rolling = (config: PolicyConfig): readonly string[] =>
  objectsOf(config.windows).map(({ max, days, hours }) =>
    days === undefined ? `${max} in ${hours} h` : `${max} in ${counted(String(days), 'day')}`,
  );

function totalCap(config: PolicyConfig, of: string): string {
  const most = numberOf(config.maxTotal) ?? '?';
  const period = periods[textOf(config.periodType) ?? 'alltime'] ?? 'in total';
  return `At most ${listText([`${most} ${period}`, ...rolling(config)])}${of}`;
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

const per = (config: PolicyConfig) => {
  const part = textOf(config.per);
  return part === null || part === 'scope' ? '' : `, counted per ${part}`;
};

const sentences: Readonly<Record<ContactPolicyType, (config: PolicyConfig) => string>> = {
  frequency_cap(config) {
    const limits = [...caps(config), ...rolling(config)];
    if (limits.length === 0) return 'No limit set: it never blocks';
    const campaign = textOf(config.withinCampaignId) === null ? '' : ' within one campaign';
    return `At most ${listText(limits)}${campaign}${per(config)}`;
  },
  cooldown: (config) => `${counted(numberOf(config.cooldownHours) ?? '?', 'hour')} between contacts${per(config)}`,
  budget_exhausted: (config) =>
    `Until ${numberOf(config.threshold) ?? '?'} ${textOf(config.budgetField) ?? 'units'} are used up`,
  outcome_based(config) {
    const after = typeof config.afterOutcome === 'string' ? [config.afterOutcome] : textsOf(config.afterOutcome);
    return `After ${listText(after, 'or')}, no contact for ${counted(numberOf(config.suppressForDays) ?? '?', 'day')}${per(config)}`;
  },
  segment_exclusion: (config) => `Not for members of ${listText(textsOf(config.excludeSegments), 'or')}`,
  time_window(config) {
    const [from, to] = [numberOf(config.startHour) ?? 0, numberOf(config.endHour) ?? 24];
    const list = Array.isArray(config.daysOfWeek) ? config.daysOfWeek : [];
    const days = list.flatMap((day) => (typeof day === 'number' ? [weekdays[day] ?? '?'] : []));
    const zone = textOf(config.timezone);
    return `Only ${clock(from)} to ${clock(to)}, ${days.length === 0 || days.length === 7 ? 'every day' : listText(days)}${zone === null ? '' : `, ${zone}`}`;
  },
  mutual_exclusion(config) {
    const days = numberOf(config.lookbackDays) ?? 30;
    const others = textsOf(config.excludeOfferIds).length;
    return `Only one of ${others === 0 ? 'these offers' : `these offers and ${others} more`}${days === 0 ? ' per decision' : ` in ${counted(days, 'day')}`}`;
  },
  cross_channel_cap(config) {
    const channels = textsOf(config.appliesAcross).length;
    return totalCap(config, channels === 0 ? ' across all channels' : ` across ${counted(channels, 'channel')}`);
  },
  customer_total_cap: (config) => totalCap(config, ' per customer'),
  offer_category_cap: (config) => totalCap(config, ` from category ${textOf(config.targetCategory) ?? '?'}`),
  allow_override(config) {
    const reason = textOf(config.reason);
    return `Overrides other policies${reason === null ? '' : `: ${reason}`}`;
  },
  category_suppression: (config) =>
    `After a contact, pauses the category for ${counted(numberOf(config.suppressionDays) ?? '?', 'day')}`,
  do_not_contact(config) {
    const who = textsOf(config.segments);
    const condition = conditionText(config.condition);
    const whom = [
      who.length === 0 ? null : `members of ${listText(who, 'or')}`,
      condition === null ? null : `customers whose ${condition}`,
    ];
    const named = whom.filter((part) => part !== null);
    const reason = textOf(config.reason) ?? textOf(config.dncSource);
    return `Never contact ${named.length === 0 ? 'anyone' : listText(named)}${reason === null ? '' : `: ${reason}`}`;
  },
  metric_condition(config) {
    const words: Readonly<Record<string, string>> = {
      gt: 'above',
      gte: 'at least',
      lt: 'below',
      lte: 'at most',
      eq: 'exactly',
    };
    return `Not while the metric is ${words[textOf(config.operator) ?? 'gte'] ?? 'at least'} ${numberOf(config.threshold) ?? 0}`;
  },
};

/** Describes a policy in one sentence. */
export function policySentence(type: ContactPolicyType, config: PolicyConfig): string {
  return sentences[type](config);
}

/** Whether a policy can never block anything, judging by its configuration. */
export function cannotAct(type: ContactPolicyType, config: PolicyConfig): boolean {
  return type === 'frequency_cap' && caps(config).length + rolling(config).length === 0;
}

/** Returns the hours and days that allow contact, for the week chart; null for other policy types. */
export function windowOf(
  type: ContactPolicyType,
  config: PolicyConfig,
): { from: number; to: number; days: readonly number[] } | null {
  if (type !== 'time_window') return null;
  const days = (Array.isArray(config.daysOfWeek) ? config.daysOfWeek : []).filter((day) => typeof day === 'number');
  return {
    from: numberOf(config.startHour) ?? 0,
    to: numberOf(config.endHour) ?? 24,
    days: days.length === 0 ? [0, 1, 2, 3, 4, 5, 6] : days,
  };
}

export const policyTexts = {
  policies: titles.policies,
  policy: titles.policy,
  lead: 'Limits on whether, when and how often you contact a customer. Active policies are checked by priority, highest first. The first one that blocks is the reason shown.',
  order: 'Order',
  sentence: 'Policy',
  appliesTo: 'Applies to',
  kind: 'Type',
  bypassable: 'Can be overridden',
  bypassed: { yes: 'by overrides and mandatory offers', no: 'never' },
  allDecisions: 'Decisions blocked by this policy',
  settings: 'Settings',
  noLimit: 'never blocks',
  empty: 'No contact policies yet',
  emptyText: 'Without one, customers can be contacted at any time, as often as you like.',
  weekdays,
} as const;
