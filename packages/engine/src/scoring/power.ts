import { pow } from '../arithmetic/pow.ts';
import { double, HIGH, LOW, words } from '../arithmetic/words.ts';

const slots = 1024;

/**
 * `pow` with a memory of the last results: components take few distinct values (priorities, rates, parts of a mean) and
 * `pow` is by far the dearest part of a score. The result is that of `pow`, always.
 */
export function createPower(): (x: number, exponent: number) => number {
  const bases = new Float64Array(slots).fill(Number.NaN);
  const exponents = new Float64Array(slots);
  const results = new Float64Array(slots);
  return (x, exponent) => {
    if (exponent === 1) return x;
    double[0] = x;
    const slot = Math.imul(words[LOW]! ^ Math.imul(words[HIGH]!, 0x9e3779b1), 0x85ebca6b) >>> 22;
    if (bases[slot] === x && exponents[slot] === exponent) return results[slot]!;
    const result = pow(x, exponent);
    bases[slot] = x;
    exponents[slot] = exponent;
    results[slot] = result;
    return result;
  };
}
