import { h32After, hashState } from './hash.ts';

/**
 * Returns one random stream (docs/design/api-decisioning.md 1 no. 5): xoshiro128** (Blackman and Vigna) with state
 * words `h32(seed ":" label ":" k)`. Each call returns the next uniform in [0, 1) with 53 bits, made of two outputs.
 */
export function stream(seed: string, label: string): () => number {
  const named = hashState(`${seed}:${label}:`);
  let s0 = h32After(named, '0') | 0;
  let s1 = h32After(named, '1') | 0;
  let s2 = h32After(named, '2') | 0;
  let s3 = h32After(named, '3') | 0;
  if ((s0 | s1 | s2 | s3) === 0) s0 = 1;

  function next(): number {
    const scrambled = Math.imul(s1, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
    const t = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = (s3 << 11) | (s3 >>> 21);
    return result;
  }

  return () => {
    const a = next();
    const b = next();
    return ((a >>> 5) * 67_108_864 + (b >>> 6)) / 9_007_199_254_740_992;
  };
}
