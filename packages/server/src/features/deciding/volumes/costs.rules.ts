import { roundHalfAway } from '@arbiter/engine';

/** The prices of an offer in cents; null costs nothing. */
export interface OfferPrices {
  readonly costPerImpressionCents: number | null;
  readonly costPerClickCents: number | null;
  readonly costPerConversionCents: number | null;
}

/** The prices in an offer's `budget`, in any stored form; only numbers are prices. */
export function pricesOf(budget: Readonly<Record<string, unknown>> | undefined): OfferPrices {
  const price = (key: keyof OfferPrices): number | null => {
    const value = budget?.[key];
    return typeof value === 'number' ? value : null;
  };
  return {
    costPerImpressionCents: price('costPerImpressionCents'),
    costPerClickCents: price('costPerClickCents'),
    costPerConversionCents: price('costPerConversionCents'),
  };
}

/** The cost of an outcome. */
export interface CostedOutcome {
  readonly key: string;
  readonly isConversion: boolean;
  readonly isPositive: boolean;
  readonly conversionValue: number | null;
}

/** Cost of one impression, in cents. */
export const impressionCents = ({ costPerImpressionCents }: OfferPrices): number => costPerImpressionCents ?? 0;

/** Whether the offer has prices: without any, a positive outcome costs what it was worth. */
const hasPrices = (prices: OfferPrices): boolean =>
  (prices.costPerImpressionCents ?? prices.costPerClickCents ?? prices.costPerConversionCents ?? null) !== null;

/** Units of the currency in cents: rounded on the shortest decimal form, because 1.005 times 100 is no 100.5. */
const worthCents = (value: number): number => Math.round(roundHalfAway(value, 2) * 100);

/** Cost of a recorded outcome, in cents (docs/design/api-catalogue.md 6, docs/design/api-settled.md 117). */
export function outcomeCents(prices: OfferPrices, outcome: CostedOutcome): number {
  if (!hasPrices(prices)) return outcome.isPositive ? worthCents(outcome.conversionValue ?? 0) : 0;
  const click = outcome.key === 'click' ? (prices.costPerClickCents ?? 0) : 0;
  const conversion = outcome.isConversion ? (prices.costPerConversionCents ?? 0) : 0;
  return click + conversion;
}

/** Figures of history that costs are worked out from. */
export interface CostedFigures {
  readonly impressions: number;
  readonly clicks: number;
  readonly converts: number;
  readonly totalValue: number;
}

/** What history cost at these prices, in cents. */
export function figuresCents(prices: OfferPrices, figures: CostedFigures): number {
  if (!hasPrices(prices)) return Math.max(0, worthCents(figures.totalValue));
  return (
    figures.impressions * impressionCents(prices) +
    figures.clicks * (prices.costPerClickCents ?? 0) +
    figures.converts * (prices.costPerConversionCents ?? 0)
  );
}
