import type { ContactPolicy } from '@arbiter/contract/catalogue/contact-policies';

type Config = Readonly<Record<string, unknown>>;

/** Hours that a calendar period has at most, with the hour that it gains when clocks change. */
const longest = { daily: 25, weekly: 169, monthly: 745 } as const;

/** A limit of a cap: the maximum number of contacts in a window. */
export interface CapLimit {
  readonly max: number;
  readonly window: CapWindow;
}

export type CapWindow =
  | { readonly kind: 'daily' | 'weekly' | 'monthly' | 'alltime' }
  | { readonly kind: 'rolling'; readonly hours: number };

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const fixed = [
  ['maxPerDay', 'daily'],
  ['maxPerWeek', 'weekly'],
  ['maxPerMonth', 'monthly'],
  ['maxTotal', 'alltime'],
] as const;

function rollingIn({ windows }: Config): readonly CapLimit[] {
  return (Array.isArray(windows) ? windows : []).flatMap((each: unknown): CapLimit[] => {
    const { max, days, hours } = (typeof each === 'object' && each !== null ? each : {}) as Config;
    const length = numberOf(hours) ?? (numberOf(days) ?? 0) * 24;
    return typeof max === 'number' && length > 0 ? [{ max, window: { kind: 'rolling', hours: length } }] : [];
  });
}

const periods = ['daily', 'weekly', 'monthly', 'alltime'] as const;

/** Returns the limits of a policy that caps contacts; none for other types. */
export function limitsOf({ ruleType, config }: Pick<ContactPolicy, 'ruleType' | 'config'>): readonly CapLimit[] {
  if (ruleType === 'frequency_cap') {
    const calendar = fixed.flatMap(([key, kind]): CapLimit[] => {
      const max = numberOf(config[key]);
      return max === null ? [] : [{ max, window: { kind } }];
    });
    return [...calendar, ...rollingIn(config)];
  }
  if (ruleType !== 'cross_channel_cap' && ruleType !== 'customer_total_cap' && ruleType !== 'offer_category_cap') {
    return [];
  }
  const max = numberOf(config.maxTotal);
  const usual = ruleType === 'cross_channel_cap' ? 'daily' : 'alltime';
  const kind = periods.find((each) => each === config.periodType) ?? usual;
  const own: readonly CapLimit[] = max === null ? [] : [{ max, window: { kind } }];
  return ruleType === 'offer_category_cap' ? own : [...own, ...rollingIn(config)];
}

/** Whether the outer window always has every contact of the inner one. A week may cross the end of a month. */
export function contains(outer: CapWindow, inner: CapWindow): boolean {
  if (outer.kind === 'alltime') return true;
  if (inner.kind === 'alltime') return false;
  if (outer.kind === 'rolling') {
    return (inner.kind === 'rolling' ? inner.hours : longest[inner.kind]) <= outer.hours;
  }
  if (inner.kind === 'rolling') return false;
  return inner.kind === outer.kind || inner.kind === 'daily';
}
