import type { ModelShap } from '@arbiter/contract';
import { type CaseExplanation, round6 } from '@arbiter/engine';

/** Returns the mean SHAP values of features, the largest absolute mean first, then by name. */
export function meanShap(explanations: readonly Pick<CaseExplanation, 'shapValues'>[]): ModelShap['features'] {
  const sums = new Map<string, { absolute: number; sum: number }>();
  for (const { shapValues } of explanations) {
    for (const [feature, value] of shapValues) {
      const known = sums.get(feature) ?? { absolute: 0, sum: 0 };
      known.absolute += Math.abs(value);
      known.sum += value;
      sums.set(feature, known);
    }
  }
  return [...sums]
    .sort(([a, x], [b, y]) => y.absolute - x.absolute || (a < b ? -1 : 1))
    .map(([feature, { absolute, sum }]) => ({
      feature,
      meanAbsolute: round6(absolute / explanations.length),
      mean: round6(sum / explanations.length),
    }));
}

/** A score, and how the offer turned out. */
export interface JudgedScore {
  readonly score: number;
  readonly isPositive: boolean;
}

const bins = 10;

/** Compares scores with responses in ten bins of equal width; 1 belongs to the last. */
export function calibrationOf(scores: readonly JudgedScore[]): ModelShap['calibration'] {
  return Array.from({ length: bins }, (_, bin) => {
    const own = scores.filter(({ score }) => Math.min(bins - 1, Math.floor(score * bins)) === bin);
    const positives = own.filter(({ isPositive }) => isPositive).length;
    const sum = own.reduce((total, { score }) => total + score, 0);
    return {
      from: bin / bins,
      to: (bin + 1) / bins,
      count: own.length,
      meanScore: own.length === 0 ? null : round6(sum / own.length),
      positives,
      rate: own.length === 0 ? null : round6(positives / own.length),
    };
  });
}
