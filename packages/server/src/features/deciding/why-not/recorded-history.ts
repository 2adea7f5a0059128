import { type ContactCounts, type DecisionInput, foldContacts, foldOutcomes, type Plan } from '@arbiter/engine';
import type { CustomerState } from '../customer-states/index.ts';
import type { SearchJob } from './search-job.ts';

/**
 * Returns when the customer was contacted before a recorded decision, so that waiting can be examined. The record has
 * the counts, and the customer's current state has the times. Used only if they give the record's exact counts; null
 * otherwise: for late contacts, or contacts no longer stored.
 */
export function historyBefore(plan: Plan, input: DecisionInput, state: CustomerState): SearchJob['history'] {
  const { now } = input;
  const log = state.log.filter(({ at }) => at < now);
  const totals = [...state.totals];
  for (const { lane, at } of state.log) if (at >= now) totals[lane] = totals[lane]! - 1;
  const lastAt = state.lastAt.map((at) => (at < now ? at : 0));
  for (const { lane, at } of log) if (at > lastAt[lane]!) lastAt[lane] = at;
  const { lanes, keptFrom } = state;
  const reservations = state.reservations.filter(({ at }) => at < now);
  const contacts = { lanes, totals, lastAt, log, keptFrom, reservations };
  const outcomes = state.outcomes.filter(({ at }) => at < now);
  const clock = input.zones[plan.timezone];
  if (clock === undefined) return null;
  const counted = foldContacts(contacts, plan.windows, now, clock, { longestCooldownMs: plan.longestCooldownMs });
  if (!isSame(linesOf(counted), linesOf(input.contacts))) return null;
  if (plan.outcomeReads !== null) {
    const read = foldOutcomes(lanes, outcomes, plan.outcomeReads, now);
    if (!isSame(read.map(textOf), (input.outcomes ?? []).map(textOf))) return null;
  }
  return { contacts, outcomes };
}

const textOf = (value: unknown): string => JSON.stringify(value);

function linesOf({ lanes, lastAt, counts }: ContactCounts): string[] {
  return lanes.map(({ offerId, creativeId, channelId, campaignId }, lane) =>
    textOf([offerId, creativeId, channelId, campaignId, lastAt[lane], ...counts.map((each) => each[lane])]),
  );
}

/** Ignores order. */
function isSame(one: readonly string[], other: readonly string[]): boolean {
  return textOf([...one].sort()) === textOf([...other].sort());
}
