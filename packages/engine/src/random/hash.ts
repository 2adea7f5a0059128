/** State of FNV-1a before the first byte, as the signed integer that all states are: 0x811c9dc5. */
const FNV_START = -2_128_831_035;

/**
 * 32-bit hash of a text: FNV-1a over its UTF-8 bytes, then the murmur3 finalizer (docs/design/api-decisioning.md 1 no. 4). A lone
 * surrogate counts as U+FFFD, as in every UTF-8 encoder.
 */
export function h32(text: string): number {
  return h32After(FNV_START, text);
}

/** `h32(prefix + text)` where `state` is `hashState(prefix)`: the prefix, known beforehand, is hashed once. */
export function h32After(state: number, text: string): number {
  let hash = hashState(text, state);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}

/** Unfinished hash of a text, to be continued by `hashState` or finished by `h32After`. */
export function hashState(text: string, state = FNV_START): number {
  let hash = state;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code < 0x80) {
      hash = Math.imul(hash ^ code, 0x01000193);
      continue;
    }
    if (code >= 0xd800 && code < 0xe000) {
      const next = text.charCodeAt(at + 1);
      if (code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + next - 0xdc00;
        at += 1;
      } else {
        code = 0xfffd;
      }
    }
    if (code < 0x800) {
      hash = Math.imul(hash ^ (0xc0 | (code >> 6)), 0x01000193);
    } else {
      if (code < 0x10000) {
        hash = Math.imul(hash ^ (0xe0 | (code >> 12)), 0x01000193);
      } else {
        hash = Math.imul(hash ^ (0xf0 | (code >> 18)), 0x01000193);
        hash = Math.imul(hash ^ (0x80 | ((code >> 12) & 0x3f)), 0x01000193);
      }
      hash = Math.imul(hash ^ (0x80 | ((code >> 6) & 0x3f)), 0x01000193);
    }
    hash = Math.imul(hash ^ (0x80 | (code & 0x3f)), 0x01000193);
  }
  return hash;
}

/** `h32` as a number in [0, 1): for what must stay the same for a customer. */
export function u(text: string): number {
  return h32(text) / 4294967296;
}
