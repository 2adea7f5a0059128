import { ln } from '../arithmetic/ln.ts';
import { pow } from '../arithmetic/pow.ts';

/**
 * A number drawn from the beta distribution, by two gammas (docs/design/api-decisioning.md 10). `a` and `b` are above 0;
 * `next` gives uniforms in [0, 1).
 */
export function beta(next: () => number, a: number, b: number): number {
  const x = gamma(next, a);
  const y = gamma(next, b);
  // Both can be 0 when shapes are tiny; then one side is as good as the other.
  return x + y > 0 ? x / (x + y) : 0.5;
}

/** A number drawn from the gamma distribution of this shape and scale 1 (Marsaglia and Tsang, 2000). */
function gamma(next: () => number, shape: number): number {
  if (shape < 1) {
    const boosted = gamma(next, shape + 1);
    return boosted * pow(1 - next(), 1 / shape);
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(next);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    // 1 - uniform is never 0, so its logarithm is finite.
    const u = 1 - next();
    if (ln(u) < 0.5 * x * x + d - d * v + d * ln(v)) return d * v;
  }
}

/** A number drawn from the standard normal distribution (Marsaglia's polar method; the second of the pair is not used). */
function normal(next: () => number): number {
  for (;;) {
    const x = 2 * next() - 1;
    const y = 2 * next() - 1;
    const s = x * x + y * y;
    if (s > 0 && s < 1) return x * Math.sqrt((-2 * ln(s)) / s);
  }
}
