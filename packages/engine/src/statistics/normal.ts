import { exp } from '../arithmetic/exp.ts';

const TWO_BY_ROOT_PI = 1.1283791670955126;
const ROOT_PI = 1.772453850905516;
const ROOT_HALF = Math.sqrt(0.5);
/** Up to here the series needs the fewest terms, beyond it the fraction does. */
const SERIES_UP_TO = 2;

/** Error function, to 1e-14. */
export function erf(x: number): number {
  const magnitude = Math.abs(x);
  const value = magnitude < SERIES_UP_TO ? series(magnitude) : 1 - fraction(magnitude);
  return x < 0 ? -value : value;
}

/** 1 - erf(x), with a relative error below 1e-12: its remainder far out still counts. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  return x < SERIES_UP_TO ? 1 - series(x) : fraction(x);
}

/** Chance that a standard normal variable is at least as far from 0 as `z`, in either direction. */
export const twoSidedP = (z: number): number => erfc(Math.abs(z) * ROOT_HALF);

/** erf(x) = 2/sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)): all terms are positive, so nothing cancels. */
function series(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > sum * 1e-18; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return TWO_BY_ROOT_PI * exp(-x * x) * sum;
}

/** erfc(x) = e^(-x^2) / (sqrt(pi) (x + 1/2 / (x + 1 / (x + 3/2 / (x + ...))))), from the innermost fraction outwards. */
function fraction(x: number): number {
  let inner = x;
  for (let n = 120; n > 0; n--) inner = x + n / 2 / inner;
  return exp(-x * x) / (ROOT_PI * inner);
}
