import type { ObjectiveCounts, OfferCounts } from '../plan/input.ts';

/** Impressions, positives and conversions in 30 days, impressions in 7 days. */
export type CountsRow = readonly [impressions: number, positives: number, converts: number, impressions7: number];

const nothing: OfferCounts = { impressions: 0, positives: 0, converts: 0, impressions7: 0 };

/** Returns a state of the counts in the engine's form. */
export function countsView({
  number,
  offers,
}: {
  readonly number: number;
  readonly offers: Iterable<readonly [string, CountsRow]>;
}): ObjectiveCounts {
  const views = new Map<string, OfferCounts>();
  let sum7 = 0;
  for (const [offerId, [impressions, positives, converts, impressions7]] of offers) {
    views.set(offerId, { impressions, positives, converts, impressions7 });
    sum7 += impressions7;
  }
  return { number, offer: (offerId) => views.get(offerId) ?? nothing, impressions7: sum7 };
}
