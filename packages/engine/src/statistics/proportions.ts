import { twoSidedP } from './normal.ts';

/** Of `total` cases, `hits` had the property. */
export interface Proportion {
  readonly hits: number;
  readonly total: number;
}

/** 97.5 % of a standard normal variable lie below it: intervals cover 95 %. */
const z95 = 1.959963984540054;

/** Wilson's interval of 95 % around a proportion, within 0 to 1. Null without cases. */
export function wilson({ hits, total }: Proportion): { readonly lower: number; readonly upper: number } | null {
  if (total <= 0) return null;
  const rate = hits / total;
  const square = (z95 * z95) / total;
  const middle = (rate + square / 2) / (1 + square);
  const half = (z95 / (1 + square)) * Math.sqrt((rate * (1 - rate)) / total + square / (4 * total));
  // At the ends, rounding could leave a remainder of exactly 0 or 1.
  return { lower: hits === 0 ? 0 : Math.max(0, middle - half), upper: hits === total ? 1 : Math.min(1, middle + half) };
}

/** A proportion compared with a base. */
export interface Comparison {
  readonly absoluteUplift: number;
  /** Null: the base has no hit. */
  readonly relativeUplift: number | null;
  /** Null: no case has the property, or all have it, so that nothing varies. */
  readonly zScore: number | null;
  readonly pValue: number | null;
}

/** Pooled two-proportion z test with a two-sided p. Null when either has no case. */
export function compareProportions(base: Proportion, other: Proportion): Comparison | null {
  if (base.total <= 0 || other.total <= 0) return null;
  const rate = base.hits / base.total;
  const absoluteUplift = other.hits / other.total - rate;
  const relativeUplift = rate === 0 ? null : absoluteUplift / rate;
  const pooled = (base.hits + other.hits) / (base.total + other.total);
  const variance = pooled * (1 - pooled) * (1 / base.total + 1 / other.total);
  if (variance <= 0) return { absoluteUplift, relativeUplift, zScore: null, pValue: null };
  const zScore = absoluteUplift / Math.sqrt(variance);
  return { absoluteUplift, relativeUplift, zScore, pValue: twoSidedP(zScore) };
}
