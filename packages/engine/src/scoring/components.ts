import type { Candidate } from '../plan/candidate.ts';
import { NONE } from '../plan/ordinals.ts';
import type { Run } from '../plan/run.ts';
import { rowOfOffer30Days, tallyOf } from '../policies/tally.ts';

/** Contacts in 30 days from which on recency is 0. */
const contactsOfNoRecency = 10;

/** E: the priority, at least 1, in hundredths. */
export function emphasisOf(candidate: Candidate): number {
  return Math.max(candidate.priority, 1) / 100;
}

/**
 * R: mean of the available parts of channel, recency and match, at least 0.05 (docs/design/api-decisioning.md 10). Written
 * to `numbers[at]`, because a number that is returned is allocated; so the others.
 */
export function writeRelevance(run: Run, { ordinal, channel }: Candidate, numbers: Float64Array, at: number): void {
  const { offers, tally } = run.scratch;
  let sum = 0;
  let parts = 0;
  const { channelParts } = run;
  if (channelParts !== null) {
    sum += channel === NONE ? 0.5 : channelParts[channel]!;
    parts += 1;
  }
  const contacts = run.contacted ? tallyOf(tally, rowOfOffer30Days, ordinal) : 0;
  sum += 1 - Math.min(1, contacts / contactsOfNoRecency);
  parts += 1;
  const { interests } = run;
  if (interests !== null) {
    const to = offers.from[ordinal + 1]!;
    let interest = offers.from[ordinal]!;
    if (interest < to) {
      while (interest < to && interests[offers.interests[interest]!] !== 1) interest += 1;
      sum += interest < to ? 1 : 0.5;
      parts += 1;
    }
  }
  numbers[at] = Math.max(0.05, sum / parts);
}

/** I: weighted mean of business value, margin and revenue, at least 0.01; negatives count as 0. */
export function writeImpact(run: Run, { ordinal, origin }: Candidate, numbers: Float64Array, at: number): void {
  const { offers } = run.scratch;
  const { maxMargin, maxRevenue } = run.rescored?.get(origin) ?? run;
  const margin = offers.margin[ordinal]!;
  const revenue = offers.revenue[ordinal]!;
  let sum = offers.worth[ordinal]!;
  let weight = 0.5;
  if (!Number.isNaN(margin) && maxMargin > 0) {
    sum += 0.25 * (Math.max(0, margin) / maxMargin);
    weight += 0.25;
  }
  if (!Number.isNaN(revenue) && maxRevenue > 0) {
    sum += 0.25 * (Math.max(0, revenue) / maxRevenue);
    weight += 0.25;
  }
  numbers[at] = Math.max(0.01, sum / weight);
}

/** Maxima that I is measured against, over the candidates that enter the score node. */
export function measureImpact(run: Run): void {
  const { margin, revenue } = run.scratch.offers;
  const { list } = run;
  let maxMargin = 0;
  let maxRevenue = 0;
  for (let at = 0; at < list.length; at++) {
    const { ordinal } = list[at]!;
    // A value that an offer lacks is NaN, and greater than nothing.
    if (margin[ordinal]! > maxMargin) maxMargin = margin[ordinal]!;
    if (revenue[ordinal]! > maxRevenue) maxRevenue = revenue[ordinal]!;
  }
  run.maxMargin = maxMargin;
  run.maxRevenue = maxRevenue;
}
