/**
 * Reproducible randomness for pack data: the same seed gives the same rows on every machine and load
 * (docs/design/api-access.md 13). Fine for demo data, not for secrets.
 */
export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  /** Returns an integer from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True with probability `p`. */
  flip(p: number): boolean;
  /** Returns one of the weighted `values`. */
  pick<T>(values: readonly (readonly [value: T, weight: number])[]): T;
  /** Roughly normal around `mean`: a sum of four uniforms, so always within 3.5 spreads of it. */
  bell(mean: number, spread: number): number;
}

/** Starts a stream from any text, such as `coffee_rewards@1/members/17`. */
export function chanceOf(seed: string): Chance {
  let state = fnv1a(seed);
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    flip: (p) => next() < p,
    pick: (values) => {
      const total = values.reduce((sum, [, weight]) => sum + weight, 0);
      let at = next() * total;
      for (const [value, weight] of values) {
        at -= weight;
        if (at < 0) return value;
      }
      const last = values.at(-1);
      if (last === undefined) throw new RangeError('pick needs at least one value');
      return last[0];
    },
    bell: (mean, spread) => mean + (next() + next() + next() + next() - 2) * 1.732 * spread,
  };
}

/** FNV-1a, 32 bit, over UTF-16 code units (seeds are ASCII). */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
