import { ln } from '../arithmetic/ln.ts';
import { pow } from '../arithmetic/pow.ts';

/** Gives one number of Beta(a, b), in 0..1. Both shapes are above 0. */
export type BetaSampler = (a: number, b: number) => number;

/**
 * Returns Beta numbers from uniforms in [0, 1): two gammas by Marsaglia and Tsang ("A simple method for generating
 * gamma variables", 2000), with normals from the polar method (docs/design/api-decisioning.md 10).
 */
export function betaSampler(uniform: () => number): BetaSampler {
  // The polar method makes two normals at once. Keep the second for the next call.
  let spare = Number.NaN;

  function normal(): number {
    if (!Number.isNaN(spare)) {
      const second = spare;
      spare = Number.NaN;
      return second;
    }
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * ln(square)) / square);
      spare = y * factor;
      return x * factor;
    }
  }

  function gamma(shape: number): number {
    // The method is for shapes of 1 and more; a smaller one is the next larger, scaled.
    if (shape < 1) return gamma(shape + 1) * pow(1 - uniform(), 1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      const u = uniform();
      const square = x * x;
      if (u < 1 - 0.0331 * square * square) return d * v;
      if (u > 0 && ln(u) < 0.5 * square + d * (1 - v + ln(v))) return d * v;
    }
  }

  return (a, b) => {
    const ofA = gamma(a);
    const ofB = gamma(b);
    // Both can be 0 when shapes are tiny; then one side is as good as the other.
    return ofA + ofB > 0 ? ofA / (ofA + ofB) : 0.5;
  };
}
