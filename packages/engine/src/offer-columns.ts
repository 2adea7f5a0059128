import type { PlanOffer } from './plan/offer.ts';
import type { OfferColumns } from './plan/scratch.ts';

export function createOfferColumns(offers: readonly PlanOffer[]): OfferColumns {
  const size = offers.length;
  const columns: OfferColumns = {
    category: new Int32Array(size),
    worth: new Float64Array(size),
    margin: new Float64Array(size),
    revenue: new Float64Array(size),
    from: new Int32Array(size + 1),
    interests: new Int32Array(offers.reduce((sum, offer) => sum + offer.interests.length, 0)),
  };
  let end = 0;
  for (const [at, offer] of offers.entries()) {
    columns.category[at] = offer.category;
    columns.worth[at] = 0.5 * (Math.max(0, offer.businessValue) / 100);
    columns.margin[at] = offer.margin ?? Number.NaN;
    columns.revenue[at] = offer.revenueValue ?? Number.NaN;
    // Not `set`: for a few numbers, each call costs more than they do.
    for (const interest of offer.interests) columns.interests[end++] = interest;
    columns.from[at + 1] = end;
  }
  return columns;
}
