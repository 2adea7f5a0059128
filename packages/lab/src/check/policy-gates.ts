import { type Json, policyProblems, type SnapshotPolicy } from '@arbiter/engine';
import { always, anyOf, type FixedParts, type Formula, formulaOf, member, negate, never, unknown } from './formula.ts';

type Config = SnapshotPolicy['config'];
/** What a customer without any history must meet so that the policy doesn't block. */
type PolicyReading = (config: Config, fixed: FixedParts) => Formula;

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Limits of a cap, with the length of their window in days. Infinite: all time. */
export interface CapWindow {
  readonly max: number;
  readonly days: number;
  /** A day, week or month of the calendar, or a rolling window. */
  readonly kind: 'calendar' | 'rolling';
}

const calendarDays: Readonly<Record<string, number>> = {
  maxPerDay: 1,
  maxPerWeek: 7,
  maxPerMonth: 31,
  maxTotal: Number.POSITIVE_INFINITY,
};
const periodDays: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 31 };

/** Returns the windows of a cap's config. */
export function windowsOf(ruleType: string, config: Config): CapWindow[] {
  const found: CapWindow[] = [];
  if (ruleType === 'frequency_cap') {
    for (const [key, days] of Object.entries(calendarDays)) {
      const max = config[key];
      if (typeof max === 'number') found.push({ max, days, kind: 'calendar' });
    }
  } else if (caps.has(ruleType) && typeof config.maxTotal === 'number') {
    const days = periodDays[`${config.periodType}`] ?? defaultPeriod[ruleType] ?? Number.POSITIVE_INFINITY;
    found.push({ max: config.maxTotal, days, kind: 'calendar' });
  }
  for (const window of Array.isArray(config.windows) ? config.windows : []) {
    const { max, days, hours } = window as { readonly [key: string]: Json };
    if (typeof max !== 'number') continue;
    if (typeof days === 'number') found.push({ max, days, kind: 'rolling' });
    else if (typeof hours === 'number') found.push({ max, days: hours / 24, kind: 'rolling' });
  }
  return found;
}

const caps: ReadonlySet<string> = new Set([
  'frequency_cap',
  'cross_channel_cap',
  'customer_total_cap',
  'offer_category_cap',
]);

const defaultPeriod: Readonly<Record<string, number>> = { cross_channel_cap: 1 };

/** Keys with which a cap applies to a part of what's in scope. */
const narrowing = ['withinCampaignId', 'excludeCampaignIds', 'appliesAcross', 'categoryId', 'targetCategory', 'per'];

/** A limit of 0 blocks everything in scope. A cap for a part of it isn't judged. */
const cap =
  (ruleType: string): PolicyReading =>
  (config) => {
    if (!windowsOf(ruleType, config).some(({ max }) => max === 0)) return always;
    return narrowing.some((key) => config[key] !== undefined && config[key] !== 'scope') ? unknown : never;
  };

const noHistory: PolicyReading = () => always;

/** What each policy type asks of a customer without history. Time windows are limits of time, see `windowLimit`. */
export const policyReadings: Readonly<Record<string, PolicyReading>> = {
  frequency_cap: cap('frequency_cap'),
  cross_channel_cap: cap('cross_channel_cap'),
  customer_total_cap: cap('customer_total_cap'),
  offer_category_cap: cap('offer_category_cap'),
  cooldown: noHistory,
  mutual_exclusion: noHistory,
  outcome_based: noHistory,
  category_suppression: noHistory,
  allow_override: noHistory,
  time_window: noHistory,
  budget_exhausted: ({ threshold }) => (typeof threshold === 'number' && threshold <= 0 ? never : always),
  metric_condition: () => unknown,
  segment_exclusion: ({ excludeSegments }) => negate(anyOf(textsOf(excludeSegments).map(member))),
  do_not_contact({ segments, condition }, fixed) {
    const isConditional = segments !== undefined || (condition !== undefined && condition !== null);
    if (!isConditional) return never;
    const parts = textsOf(segments).map(member);
    if (condition !== undefined && condition !== null) parts.push(formulaOf({ condition }, fixed));
    return negate(anyOf(parts));
  },
};

/** Returns what the policy lets through. A config that can't be read blocks everything. */
export function policyFormula({ ruleType, config }: SnapshotPolicy, fixed: FixedParts): Formula {
  if (policyProblems(ruleType, config).length > 0) return never;
  return policyReadings[ruleType]?.(config, fixed) ?? unknown;
}
