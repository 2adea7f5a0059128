/** FNV-1a over UTF-8 and the finalizer of murmur3 (docs/design/api-decisioning.md 1 no. 4), in whole numbers. */
function h32(text: string): bigint {
  const mask = 0xffffffffn;
  let hash = 2166136261n;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) & mask;
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  return hash ^ (hash >> 16n);
}

/** In [0, 1). */
export const share = (text: string): number => Number(h32(text)) / 2 ** 32;

/** Uniforms of `stream(seed, label)`: xoshiro128** (docs/design/api-decisioning.md 1 no. 5). */
export function uniforms(seed: string, label: string): () => number {
  const mask = 0xffffffffn;
  const rotate = (x: bigint, k: bigint) => ((x << k) | (x >> (32n - k))) & mask;
  const s: bigint[] = [0, 1, 2, 3].map((k) => h32(`${seed}:${label}:${k}`));
  if (s.every((word) => word === BigInt(0))) s[0] = BigInt(1);
  const next = (): bigint => {
    const result = (rotate((s[1]! * 5n) & mask, 7n) * 9n) & mask;
    const t = (s[1]! << 9n) & mask;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= t;
    s[3] = rotate(s[3]!, 11n);
    return result;
  };
  return () => (Number(next() >> 5n) * 2 ** 26 + Number(next() >> 6n)) / 2 ** 53;
}
