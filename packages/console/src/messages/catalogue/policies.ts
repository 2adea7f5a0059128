import type { AnyPolicyConfig } from '@arbiter/contract/core/config-types.generated';
import type { ContactPolicyType } from '@arbiter/contract/deciding/contact-policy-parts';
import { counted } from '../counted.ts';
import { catalogueTitles as titles } from './catalogue-titles.ts';
import { conditionText, listText } from './conditions.ts';

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

const periods = {
  daily: 'per day',
  weekly: 'per week',
  monthly: 'per month',
  alltime: 'in total',
} as const;

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function caps(config: AnyPolicyConfig): readonly string[] {
  const fixed = [
    ['maxPerDay', 'per day'],
    ['maxPerWeek', 'per week'],
    ['maxPerMonth', 'per month'],
    ['maxTotal', 'in total'],
  ] as const;
  return fixed.flatMap(([key, period]) => {
    const most = config[key] ?? null;
    return most === null ? [] : [`${most} ${period}`];
  });
}

const rolling = (config: AnyPolicyConfig): readonly string[] =>
  (config.windows ?? []).map(({ max, days = null, hours }) =>
    days === null ? `${max} in ${hours} h` : `${max} in ${counted(days, 'day')}`,
  );

function totalCap(config: AnyPolicyConfig, of: string): string {
  const most = config.maxTotal ?? '?';
  const period = periods[config.periodType ?? 'alltime'];
  return `At most ${listText([`${most} ${period}`, ...rolling(config)])}${of}`;
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

const per = (config: AnyPolicyConfig) => {
  const part = config.per ?? 'scope';
  return part === 'scope' ? '' : `, counted per ${part}`;
};

const sentences: Readonly<Record<ContactPolicyType, (config: AnyPolicyConfig) => string>> = {
  frequency_cap(config) {
    const limits = [...caps(config), ...rolling(config)];
    if (limits.length === 0) return 'No limit set: it never blocks';
    const campaign = (config.withinCampaignId ?? '') === '' ? '' : ' within one campaign';
    return `At most ${listText(limits)}${campaign}${per(config)}`;
  },
  cooldown: (config) => `${counted(config.cooldownHours ?? '?', 'hour')} between contacts${per(config)}`,
  budget_exhausted: (config) => `Until ${config.threshold ?? '?'} ${config.budgetField ?? 'units'} are used up`,
  outcome_based(config) {
    const after = [config.afterOutcome ?? []].flat();
    return `After ${listText(after, 'or')}, no contact for ${counted(config.suppressForDays ?? '?', 'day')}${per(config)}`;
  },
  segment_exclusion: (config) => `Not for members of ${listText(config.excludeSegments ?? [], 'or')}`,
  time_window(config) {
    const [from, to] = [config.startHour ?? 0, config.endHour ?? 24];
    const days = (config.daysOfWeek ?? []).map((day) => weekdays[day] ?? '?');
    const zone = config.timezone ?? '';
    return `Only ${clock(from)} to ${clock(to)}, ${days.length === 0 || days.length === 7 ? 'every day' : listText(days)}${zone === '' ? '' : `, ${zone}`}`;
  },
  mutual_exclusion(config) {
    const days = config.lookbackDays ?? 30;
    const others = (config.excludeOfferIds ?? []).length;
    return `Only one of ${others === 0 ? 'these offers' : `these offers and ${others} more`}${days === 0 ? ' per decision' : ` in ${counted(days, 'day')}`}`;
  },
  cross_channel_cap(config) {
    const channels = (config.appliesAcross ?? []).length;
    return totalCap(config, channels === 0 ? ' across all channels' : ` across ${counted(channels, 'channel')}`);
  },
  customer_total_cap: (config) => totalCap(config, ' per customer'),
  offer_category_cap: (config) => totalCap(config, ` from category ${config.targetCategory ?? '?'}`),
  allow_override(config) {
    const reason = config.reason ?? '';
    return `Overrides other policies${reason === '' ? '' : `: ${reason}`}`;
  },
  category_suppression: (config) =>
    `After a contact, pauses the category for ${counted(config.suppressionDays ?? '?', 'day')}`,
  do_not_contact(config) {
    const who = config.segments ?? [];
    const condition = conditionText(config.condition);
    const whom = [
      who.length === 0 ? null : `members of ${listText(who, 'or')}`,
      condition === null ? null : `customers whose ${condition}`,
    ];
    const named = whom.filter((part) => part !== null);
    const reason = config.reason || config.dncSource || '';
    return `Never contact ${named.length === 0 ? 'anyone' : listText(named)}${reason === '' ? '' : `: ${reason}`}`;
  },
  metric_condition(config) {
    const words = {
      gt: 'above',
      gte: 'at least',
      lt: 'below',
      lte: 'at most',
      eq: 'exactly',
    };
    return `Not while the metric is ${words[config.operator ?? 'gte']} ${config.threshold ?? 0}`;
  },
};

/** Describes a policy in one sentence. */
export function policySentence(type: ContactPolicyType, config: AnyPolicyConfig): string {
  return sentences[type](config);
}

/** Whether a policy can never block anything, judging by its configuration. */
export function cannotAct(type: ContactPolicyType, config: AnyPolicyConfig): boolean {
  return type === 'frequency_cap' && caps(config).length + rolling(config).length === 0;
}

/** Returns the hours and days that allow contact, for the week chart; null for other policy types. */
export function windowOf(
  type: ContactPolicyType,
  config: AnyPolicyConfig,
): { from: number; to: number; days: readonly number[] } | null {
  if (type !== 'time_window') return null;
  const days = config.daysOfWeek ?? [];
  return {
    from: config.startHour ?? 0,
    to: config.endHour ?? 24,
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
