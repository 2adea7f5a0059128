import type { Candidate, Run } from '../run.ts';

/** Contacts in 30 days from which on recency is 0. */
const contactsOfNoRecency = 10;

/** E: the priority, at least 1, in hundredths. */
export function emphasisOf(candidate: Candidate): number {
  return Math.max(candidate.priority, 1) / 100;
}

/** R: mean of the available parts of channel, recency and match, at least 0.05 (api-decisioning.md 10). */
export function relevanceOf(run: Run, candidate: Candidate): number {
  if (!Number.isNaN(candidate.relevance)) return candidate.relevance;
  let sum = 0;
  let parts = 0;
  const { channelParts } = run;
  if (channelParts !== null) {
    sum += candidate.creative === null ? 0.5 : channelParts[candidate.creative.channel]!;
    parts += 1;
  }
  const contacts = run.contacts30Days.size === 0 ? 0 : (run.contacts30Days.get(candidate.offer.ordinal) ?? 0);
  sum += 1 - Math.min(1, contacts / contactsOfNoRecency);
  parts += 1;
  const { interests } = candidate.offer;
  if (interests.length > 0 && run.interests !== null) {
    sum += sharesInterest(interests, run.interests) ? 1 : 0.5;
    parts += 1;
  }
  candidate.relevance = Math.max(0.05, sum / parts);
  return candidate.relevance;
}

function sharesInterest(ofOffer: readonly number[], ofCustomer: Uint8Array): boolean {
  for (let at = 0; at < ofOffer.length; at++) if (ofCustomer[ofOffer[at]!] === 1) return true;
  return false;
}

/** I: weighted mean of business value, margin and revenue, at least 0.01; negatives count as 0. */
export function impactOf(run: Run, candidate: Candidate): number {
  if (!Number.isNaN(candidate.impact)) return candidate.impact;
  const { businessValue, margin, revenueValue } = candidate.offer;
  let sum = 0.5 * (Math.max(0, businessValue) / 100);
  let weight = 0.5;
  if (margin !== null && run.maxMargin > 0) {
    sum += 0.25 * (Math.max(0, margin) / run.maxMargin);
    weight += 0.25;
  }
  if (revenueValue !== null && run.maxRevenue > 0) {
    sum += 0.25 * (Math.max(0, revenueValue) / run.maxRevenue);
    weight += 0.25;
  }
  candidate.impact = Math.max(0.01, sum / weight);
  return candidate.impact;
}

/** Maxima that I is measured against, over the candidates that enter the score node. */
export function measureImpact(run: Run): void {
  let maxMargin = 0;
  let maxRevenue = 0;
  for (const { offer } of run.list) {
    if (offer.margin !== null && offer.margin > maxMargin) maxMargin = offer.margin;
    if (offer.revenueValue !== null && offer.revenueValue > maxRevenue) maxRevenue = offer.revenueValue;
  }
  run.maxMargin = maxMargin;
  run.maxRevenue = maxRevenue;
}
