import { exp } from '../arithmetic/exp.ts';
import { ln } from '../arithmetic/ln.ts';
import { erfc } from './normal.ts';

const ROOT_PI = 1.772453850905516;

/**
 * Chance that a chi-square variable with this whole number of degrees of freedom is at least `chiSquare`. Starts with
 * one or two degrees, whose form is closed, and adds two at a time: Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1).
 */
export function chiSquareP(chiSquare: number, degrees: number): number {
  if (chiSquare <= 0) return 1;
  const x = chiSquare / 2;
  const isOdd = degrees % 2 === 1;
  let p = isOdd ? erfc(Math.sqrt(x)) : exp(-x);
  // Logarithm of the next term: with many degrees, powers and factorials leave the range of numbers.
  let next = isOdd ? ln(x) / 2 - x - ln(ROOT_PI / 2) : ln(x) - x;
  for (let a = isOdd ? 0.5 : 1; a < degrees / 2; a++) {
    p += exp(next);
    next += ln(x) - ln(a + 1);
  }
  return Math.min(1, p);
}

/** How far counts are from the shares they should have. */
export interface SampleRatio {
  readonly chiSquare: number;
  readonly pValue: number;
  /** True: chance alone hardly ever does that, so something keeps part of a group away, or counts it twice. */
  readonly mismatch: boolean;
}

const mismatchBelow = 0.001;

/** Compares counts with shares of any sum. Null: nothing was counted, or fewer than two groups have a share. */
export function sampleRatio(counts: readonly number[], shares: readonly number[]): SampleRatio | null {
  // Customers may have stayed in a group since it had a share. The hash no longer assigns anyone to it.
  const total = counts.reduce((sum, count, at) => sum + ((shares[at] ?? 0) > 0 ? count : 0), 0);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const groups = shares.filter((share) => share > 0).length;
  if (total === 0 || groups < 2) return null;
  let chiSquare = 0;
  for (const [at, share] of shares.entries()) {
    if (share <= 0) continue;
    const count = counts[at] ?? 0;
    const expected = (total * share) / whole;
    chiSquare += ((count - expected) * (count - expected)) / expected;
  }
  const pValue = chiSquareP(chiSquare, groups - 1);
  return { chiSquare, pValue, mismatch: pValue < mismatchBelow };
}
