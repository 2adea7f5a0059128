import { exp } from '../arithmetic/exp.ts';
import { ln } from '../arithmetic/ln.ts';

const lanczos = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
const HALF_LN_2PI = 0.9189385332046728;

/** Logarithm of the gamma function for x of at least 0.5 (Lanczos 1964, g = 7). */
function lnGamma(x: number): number {
  const z = x - 1;
  let sum = lanczos[0]!;
  for (let at = 1; at < lanczos.length; at++) sum += lanczos[at]! / (z + at);
  const t = z + 7.5;
  return HALF_LN_2PI + (z + 0.5) * ln(t) - t + ln(sum);
}

/** A Beta distribution with shapes of at least 0.5. */
export interface Beta {
  readonly a: number;
  readonly b: number;
  /** Logarithm of its norm, 1/B(a, b). */
  readonly lnNorm: number;
}

export const betaOf = (a: number, b: number): Beta => ({ a, b, lnNorm: lnGamma(a + b) - lnGamma(a) - lnGamma(b) });

/** Density times x and times 1 - x, of x strictly between 0 and 1: the density on the logit scale. */
const logitDensity = ({ a, b, lnNorm }: Beta, x: number): number => exp(lnNorm + a * ln(x) + b * ln(1 - x));

/** Density of ln x, for x strictly between 0 and 1. */
export const lnDensity = (beta: Beta, x: number): number => logitDensity(beta, x) / (1 - x);

/** Chance of a value of at most x: the regularized incomplete beta function, by its continued fraction (Lentz 1976). */
export function betaCdf(beta: Beta, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const { a, b } = beta;
  const front = logitDensity(beta, x);
  return x < (a + 1) / (a + b + 2) ? (front * fraction(a, b, x)) / a : 1 - (front * fraction(b, a, 1 - x)) / b;
}

const maxTerms = 100_000;
const tiny = 1e-300;
const close = 1e-15;

function fraction(a: number, b: number, x: number): number {
  const nonZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < maxTerms; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const step = d * c;
    result *= step;
    if (Math.abs(step - 1) < close) break;
  }
  return result;
}
