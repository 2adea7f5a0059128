import type { Offer } from '@arbiter/contract/catalogue/offers';

/** What an offer may use up, and what it has used of it. */
export interface Limit {
  readonly key: 'dayCost' | 'lifeCost' | 'dayShown' | 'lifeShown' | 'stock';
  readonly used: number;
  /** 0 closes the offer. */
  readonly most: number;
  /** Cents of the budget's currency, or a count. */
  readonly unit: 'cents' | 'count';
}

/**
 * The limits over all customers that are set. Counters of a day that has passed are counters of nothing: `today` is the day
 * in the tenant's zone, as `2026-11-22`.
 */
export function limitsOf({ budget, inventory }: Pick<Offer, 'budget' | 'inventory'>, today: string): readonly Limit[] {
  const isToday = budget.lastDailyResetDate === today;
  const daily = (counter: number | undefined) => (isToday ? (counter ?? 0) : 0);
  const stock = inventory.totalStock ?? null;
  const limits: readonly (Omit<Limit, 'most'> & { readonly most: number | null })[] = [
    {
      key: 'dayCost',
      used: daily(budget.currentDailySpentCents),
      most: budget.dailyCapCents ?? null,
      unit: 'cents',
    },
    {
      key: 'lifeCost',
      used: budget.currentLifetimeSpentCents ?? 0,
      most: budget.lifetimeCapCents ?? null,
      unit: 'cents',
    },
    {
      key: 'dayShown',
      used: daily(budget.currentDailyImpressions),
      most: least(budget.dailyMaxImpressions, budget.maxPerDay),
      unit: 'count',
    },
    {
      key: 'lifeShown',
      used: budget.currentLifetimeImpressions ?? 0,
      most: budget.lifetimeMaxImpressions ?? null,
      unit: 'count',
    },
    {
      key: 'stock',
      used: stock === null ? 0 : stock - (inventory.remainingStock ?? stock),
      most: stock,
      unit: 'count',
    },
  ];
  return limits.filter((limit): limit is Limit => limit.most !== null);
}

/** Of 0 to 1; a limit of 0 is used up from the beginning. */
export const usedShare = ({ used, most }: Limit): number => (most === 0 ? 1 : Math.min(1, Math.max(0, used / most)));

/** The limit that is nearest to its end; null without limits. */
export function tightest(limits: readonly Limit[]): Limit | null {
  return limits.reduce<Limit | null>(
    (worst, limit) => (worst === null || usedShare(limit) > usedShare(worst) ? limit : worst),
    null,
  );
}

/** The same limit for files: `lifeCost 120.5 of 500`, money in whole units of the currency. Null: it has none. */
export function plainLimit(offer: Pick<Offer, 'budget' | 'inventory'>, today: string): string | null {
  const limit = tightest(limitsOf(offer, today));
  if (limit === null) return null;
  const scale = limit.unit === 'cents' ? 100 : 1;
  return `${limit.key} ${limit.used / scale} of ${limit.most / scale}`;
}

function least(...values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value): value is number => typeof value === 'number');
  return known.length === 0 ? null : Math.min(...known);
}
