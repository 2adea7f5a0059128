import type { ContactPolicy } from '@arbiter/contract/catalogue/contact-policies';

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

const fixed = [
  ['maxPerDay', 'daily'],
  ['maxPerWeek', 'weekly'],
  ['maxPerMonth', 'monthly'],
  ['maxTotal', 'alltime'],
] as const;

const rollingIn = ({ windows }: ContactPolicy['config']): readonly CapLimit[] =>
  (windows ?? []).flatMap(({ max, days, hours }): CapLimit[] => {
    const length = hours ?? (days ?? 0) * 24;
    return length > 0 ? [{ max, window: { kind: 'rolling', hours: length } }] : [];
  });

/** Returns the limits of a policy that caps contacts; none for other types. */
export function limitsOf({ ruleType, config }: Pick<ContactPolicy, 'ruleType' | 'config'>): readonly CapLimit[] {
  if (ruleType === 'frequency_cap') {
    const calendar = fixed.flatMap(([key, kind]): CapLimit[] => {
      const max = config[key] ?? null;
      return max === null ? [] : [{ max, window: { kind } }];
    });
    return [...calendar, ...rollingIn(config)];
  }
  if (ruleType !== 'cross_channel_cap' && ruleType !== 'customer_total_cap' && ruleType !== 'offer_category_cap') {
    return [];
  }
  const max = config.maxTotal ?? null;
  const usual = ruleType === 'cross_channel_cap' ? 'daily' : 'alltime';
  const kind = config.periodType ?? usual;
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
