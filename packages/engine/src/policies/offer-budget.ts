import { readConfig } from '../compile/config-problems.ts';
import type { Builder } from '../plan/builder.ts';
import type { Gate } from '../plan/drop-reason.ts';
import type { BudgetCause, OfferBudget } from '../plan/offer.ts';
import type { Run } from '../plan/run.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import type { VolumeLimit } from '../plan/volumes.ts';
import { volumeFull, volumeOf } from './volumes.ts';

const capKeys = ['dailyCapCents', 'lifetimeCapCents', 'dailyMaxImpressions', 'maxPerDay', 'lifetimeMaxImpressions'];
const costKeys = ['costPerImpressionCents', 'costPerClickCents', 'costPerConversionCents'];

/** Null: the offer has neither caps nor costs. */
export function compileOfferBudget(
  offerId: string,
  source: JsonObject | undefined,
  builder: Builder,
): OfferBudget | null {
  if (source === undefined) return null;
  const reader = readConfig(source);
  const read = (key: string): number | undefined => reader.integer(key, {});
  const values = new Map([...capKeys, ...costKeys].map((key) => [key, read(key)]));
  if ([...values.values()].every((value) => value === undefined) && reader.problems.length === 0) return null;
  const impressionCents = values.get('costPerImpressionCents') ?? 0;
  const limits: (VolumeLimit & { readonly cause: BudgetCause })[] = [];
  const add = (
    cause: BudgetCause,
    measure: VolumeLimit['measure'],
    max: number | undefined,
    nextCents: number,
  ): void => {
    if (max !== undefined) limits.push({ cause, measure, max, nextCents });
  };
  add('daily_spend', 'daySpentCents', values.get('dailyCapCents'), impressionCents);
  add('lifetime_spend', 'spentCents', values.get('lifetimeCapCents'), impressionCents);
  add('daily_impressions', 'dayImpressions', values.get('dailyMaxImpressions') ?? values.get('maxPerDay'), 0);
  add('lifetime_impressions', 'impressions', values.get('lifetimeMaxImpressions'), 0);
  const key = { scope: 'offer', scopeId: offerId } as const;
  // Costs without a cap are counted too: the offer shows them.
  let volume = builder.volume(key, { measure: 'impressions', max: Number.POSITIVE_INFINITY, nextCents: 0 });
  for (const { measure, max, nextCents } of limits) volume = builder.volume(key, { measure, max, nextCents });
  return { volume, impressionCents, limits, unreadable: reader.problems.length > 0 };
}

/** Why the offer may not be shown again; null while it may. */
export function budgetReached(run: Run, { volume, limits, unreadable }: OfferBudget): BudgetCause | null {
  if (unreadable) return 'unreadable';
  const counts = volumeOf(run.volumes, volume);
  for (let at = 0; at < limits.length; at++) {
    if (volumeFull(limits[at]!, counts)) return limits[at]!.cause;
  }
  return null;
}

export const budgetGate = (cause: BudgetCause): Gate => ({ ruleId: null, policyId: null, detail: { cause } });
