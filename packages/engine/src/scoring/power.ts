import { pow } from '../arithmetic/pow.ts';
import { double, HIGH, LOW, words } from '../arithmetic/words.ts';

const slots = 1024;

/**
 * Raises `numbers[at]` to a power: `pow` with a cache of recent results. Components take few distinct values
 * (priorities, rates, parts of a mean), and `pow` is by far the most expensive part of a score. The result is always
 * that of `pow`.
 */
export function createPower(): (numbers: Float64Array, at: number, exponent: number) => void {
  const bases = new Float64Array(slots).fill(Number.NaN);
  const exponents = new Float64Array(slots);
  const results = new Float64Array(slots);
  return (numbers, at, exponent) => {
    const x = numbers[at]!;
    double[0] = x;
    const slot = Math.imul(words[LOW]! ^ Math.imul(words[HIGH]!, 0x9e3779b1), 0x85ebca6b) >>> 22;
    if (bases[slot] !== x || exponents[slot] !== exponent) {
      results[slot] = pow(x, exponent);
      bases[slot] = x;
      exponents[slot] = exponent;
    }
    numbers[at] = results[slot]!;
  };
}
