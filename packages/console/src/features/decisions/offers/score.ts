import type { ExplainedScore } from '@arbiter/contract/explanation/explanation';

/** A score as a product of factors. */
export interface ScoreParts {
  readonly method: ScoreMethod;
  readonly factors: readonly Factor[];
  /** Product of the factors. */
  readonly product: number;
  readonly score: number;
  /** False if a later step (an objective, an extension) changed the score. */
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
  // Like the engine: anything to the power of 0 is 1, even 0.
  value: exponent === 0 ? 1 : exponent === 1 ? base : base ** exponent,
});

/** Returns the factors of a score by method (docs/design/api-decisioning.md, section 10); null if the method is unknown. */
export function partsOf(row: ExplainedScore): ScoreParts | null {
  const { components, exponents, method } = row;
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
    if (method === 'priority_weighted') {
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

/** Components and scores have 6 decimals, so products may be slightly off. */
function isNear(product: number, score: number): boolean {
  return Math.abs(product - score) <= Math.max(5e-6, Math.abs(score) * 1e-3);
}

/** A segment of a score bar on a logarithmic axis, between two values. */
export interface Piece {
  readonly name: FactorName;
  /** Value before the factor; 1 for the first. */
  readonly from: number;
  readonly to: number;
  /** Positions on the axis, from 0 (left) to 1 (right). */
  readonly left: number;
  readonly right: number;
  readonly factor: Factor;
}

export interface Axis {
  /** The smallest value on the axis, a power of ten. The right end is 1, or more for higher scores. */
  readonly least: number;
  readonly most: number;
  readonly ticks: readonly number[];
}

/** Returns an axis that fits all scores and intermediate values. On a logarithmic axis, lengths add up where factors multiply. */
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
  // A single decade has too few grid lines.
  const within = ticks.length > 2 ? ticks : [...ticks, 2 * lowest, 5 * lowest].sort((a, b) => a - b);
  return { least: lowest, most: highest, ticks: within };
}

/** Returns the position of a value, 0 to 1. Values at or below the minimum are at the left end. */
export function placeOn({ least, most }: Axis, value: number): number {
  if (value <= least) return 0;
  return Math.min(1, Math.log(value / least) / Math.log(most / least));
}

/** Returns the bar of a score: it starts at 1, each factor takes its part, and the last one ends at the product. */
export function piecesOf({ factors }: ScoreParts, axis: Axis): readonly Piece[] {
  let value = 1;
  return factors.map((each) => {
    const from = value;
    value *= each.value;
    const [a, b] = [placeOn(axis, from), placeOn(axis, value)];
    return { name: each.name, from, to: value, left: Math.min(a, b), right: Math.max(a, b), factor: each };
  });
}

/** A factor's part of the difference between two scores. */
export interface Difference {
  readonly name: FactorName;
  readonly own: Factor;
  readonly other: Factor;
  /** `own / other`: 1.16 is 16 % higher; infinite or 0 if one is 0. */
  readonly ratio: number;
  /** Share of the log ratio of the scores; null if that is 0 or infinite. Shares add up to 1. */
  readonly share: number | null;
}

/** Differences below 0.1 % are ignored. */
const minRatio = 1.001;

/** Returns the differences between two scores of the same method, biggest first; null for different methods. */
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
    .filter(({ ratio }) => ratio >= minRatio || ratio <= 1 / minRatio)
    .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
}
