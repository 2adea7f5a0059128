import { type ErrorEntry, OfferBudget, type OfferFrequencyCaps } from '@arbiter/contract';
import type { Remark } from '../../../platform/remark.ts';
import type { OfferFields } from './offers.rules.ts';

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Properties that only the server writes. Ignored in a body, also inside these objects. */
const counters: ReadonlySet<string> = new Set([
  'currentDailySpentCents',
  'currentLifetimeSpentCents',
  'currentDailyImpressions',
  'currentLifetimeImpressions',
  'lastDailyResetDate',
  'remainingStock',
]);

type BudgetMembers = Readonly<Record<string, unknown>>;

/** Whether a budget limits or prices anything. */
export const isBudget = (budget: BudgetMembers): boolean =>
  Object.keys(OfferBudget.properties).some((key) => key !== 'currency' && typeof budget[key] === 'number');

/** Checks what the schema of `budget` can't express. */
export function limitProblems({ budget = {} }: OfferFields): ErrorEntry[] {
  const problems: ErrorEntry[] = [];
  const { currency, dailyMaxImpressions, maxPerDay } = budget;
  if (typeof currency === 'string' && !currencies.has(currency)) {
    problems.push({ path: '/budget/currency', message: 'must be an ISO 4217 currency code' });
  }
  if (typeof maxPerDay === 'number' && typeof dailyMaxImpressions === 'number' && maxPerDay !== dailyMaxImpressions) {
    problems.push({ path: '/budget/maxPerDay', message: 'must be the same as dailyMaxImpressions' });
  }
  return problems;
}

/** Returns the object without the properties that only the server writes. */
export function withoutCounters<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !counters.has(key))) as T;
}

/** `totalStock` of an inventory; null if the stock isn't tracked. */
export function totalStockOf(inventory: BudgetMembers): number | null {
  return typeof inventory.totalStock === 'number' ? inventory.totalStock : null;
}

const capWindows = ['daily', 'weekly', 'monthly', 'total'] as const;

/** Returns warnings for caps that limit nothing. */
export function capRemarks(caps: OfferFrequencyCaps): Remark[] {
  const perCustomer = caps.perCustomer ?? {};
  const isNone = capWindows.every((window) => (perCustomer[window] ?? null) === null);
  if (!isNone || Object.keys(caps).length === 0) return [];
  return [
    {
      path: '/frequencyCaps',
      nearest: null,
      reason: 'No limit is set, so nothing is capped.',
      suggestion: 'Set perCustomer.daily, weekly, monthly or total.',
    },
  ];
}
