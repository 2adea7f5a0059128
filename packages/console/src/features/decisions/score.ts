import type { ScoreRow } from './explained.ts';

/** How a score came about, as factors whose product it is. */
export interface ScoreParts {
  readonly method: ScoreMethod;
  readonly factors: readonly Factor[];
  /** Product of the factors. */
  readonly product: number;
  readonly score: number;
  /** False: a later step (an objective, an extension) gave the offer another score than its factors. */
  readonly isProduct: boolean;
}

export type ScoreMethod = 'formula' | 'priority_weighted' | 'propensity';

export type FactorName = 'propensity' | 'relevance' | 'impact' | 'emphasis' | 'priority' | 'weight' | 'fit';

export interface Factor {
  readonly name: FactorName;
  /** Before the exponent, from 0 to 1. */
  readonly base: number;
  readonly exponent: number;
  /** `base` to the power of `exponent`. */
  readonly value: number;
}

const factor = (name: FactorName, base: number, exponent = 1): Factor => ({
  name,
  base,
  exponent,
  // As the engine has it: to the power of 0 is 1, also for 0.
  value: exponent === 0 ? 1 : exponent === 1 ? base : base ** exponent,
});

/**
 * The factors of a score by its method (docs/design/api-decisioning.md 10). Null where the source does not say how the offer
 * was scored.
 */
export function partsOf(row: ScoreRow): ScoreParts | null {
  const { components, exponents, method } = row;
  if (components === null) return null;
  const fit = factor('fit', components.fitMultiplier);
  const factors = ((): readonly Factor[] | null => {
    if (method === 'formula' && exponents !== null) {
      const { propensity, relevance, impact, emphasis } = exponents;
      return [
        factor('propensity', components.propensity, propensity),
        factor('relevance', components.relevance, relevance),
        factor('impact', components.impact, impact),
        factor('emphasis', components.emphasis, emphasis),
        fit,
      ];
    }
    if (method === 'propensity') return [factor('propensity', components.propensity), fit];
    if (method === 'priority_weighted' && row.priority !== null) {
      return [factor('priority', row.priority / 100), factor('weight', (row.creativeWeight ?? 100) / 100), fit];
    }
    return null;
  })();
  if (factors === null) return null;
  const product = factors.reduce((whole, { value }) => whole * value, 1);
  return {
    method: method as ScoreMethod,
    factors,
    product,
    score: row.score,
    isProduct: isNear(product, row.score),
  };
}

/** Components and scores are told with 6 decimals, so their product may be off by a few of the last. */
function isNear(product: number, score: number): boolean {
  return Math.abs(product - score) <= Math.max(5e-6, Math.abs(score) * 1e-3);
}

/** A piece of the bar of a score on a logarithmic axis: from one value down (or up) to the next. */
export interface Piece {
  readonly name: FactorName;
  /** Value before the factor, 1 for the first. */
  readonly from: number;
  readonly to: number;
  /** Places on the axis, 0 at its left end and 1 at its right end. */
  readonly left: number;
  readonly right: number;
  readonly factor: Factor;
}

export interface Axis {
  /** The smallest value that has a place, a power of ten; the right end is 1, or more where a score is. */
  readonly least: number;
  readonly most: number;
  readonly ticks: readonly number[];
}

/**
 * An axis on which all these scores and what lies between their factors has a place. On a logarithmic axis lengths add up
 * where factors multiply.
 */
export function axisFor(parts: readonly ScoreParts[]): Axis {
  let least = 0.1;
  let most = 1;
  for (const { factors } of parts) {
    let value = 1;
    for (const each of factors) {
      value *= each.value;
      if (value > 0) least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  const lowest = Math.max(1e-9, 10 ** Math.floor(Math.log10(least) + 1e-9));
  const highest = most <= 1 ? 1 : 10 ** Math.ceil(Math.log10(most) - 1e-9);
  const ticks: number[] = [];
  for (let value = lowest; value <= highest * 1.0001; value *= 10) ticks.push(Number(value.toPrecision(6)));
  // One decade alone has too few lines to read values by.
  const within = ticks.length > 2 ? ticks : [...ticks, 2 * lowest, 5 * lowest].sort((a, b) => a - b);
  return { least: lowest, most: highest, ticks: within };
}

/** Place of a value on the axis, 0 to 1. What is 0 or below the least stands at the left end. */
export function placeOn({ least, most }: Axis, value: number): number {
  if (value <= least) return 0;
  return Math.min(1, Math.log(value / least) / Math.log(most / least));
}

/** The bar of a score: it begins at 1, each factor takes its piece, and the last piece ends at the product. */
export function piecesOf({ factors }: ScoreParts, axis: Axis): readonly Piece[] {
  let value = 1;
  return factors.map((each) => {
    const from = value;
    value *= each.value;
    const [a, b] = [placeOn(axis, from), placeOn(axis, value)];
    return { name: each.name, from, to: value, left: Math.min(a, b), right: Math.max(a, b), factor: each };
  });
}

/** How much of the distance between two scores a factor makes. */
export interface Difference {
  readonly name: FactorName;
  readonly own: Factor;
  readonly other: Factor;
  /** `own / other`: 1.16 is 16 % more; infinite or 0 where one of them is 0. */
  readonly ratio: number;
  /** Share of the logarithm of the ratio of the scores; null where that is 0 or not finite. They add up to 1. */
  readonly share: number | null;
}

/** Differences are too small to speak of below one per mille. */
const leastRatio = 1.001;

/**
 * What sets a score apart from another of the same method, the greatest difference first; what is alike is left out. Null for
 * scores of different methods, which no factor compares.
 */
export function differencesOf(own: ScoreParts, other: ScoreParts): readonly Difference[] | null {
  if (own.method !== other.method) return null;
  const whole = Math.log(own.product / other.product);
  const found = own.factors.map((mine, at): Difference => {
    const theirs = other.factors[at] ?? mine;
    const ratio = theirs.value === mine.value ? 1 : mine.value / theirs.value;
    const part = Math.log(ratio);
    const share = Number.isFinite(whole) && whole !== 0 && Number.isFinite(part) ? part / whole : null;
    return { name: mine.name, own: mine, other: theirs, ratio, share };
  });
  return found
    .filter(({ ratio }) => ratio >= leastRatio || ratio <= 1 / leastRatio)
    .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
}
