/** Compares two texts by code point: -1, 0 or 1. The language's `<` compares UTF-16 units, which differs past U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x === y) continue;
    // Surrogates stand for code points above every other unit.
    const xHigh = x >= 0xd800 && x < 0xe000;
    const yHigh = y >= 0xd800 && y < 0xe000;
    if (xHigh !== yHigh) return xHigh ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}

/**
 * A finite number with -0 turned into 0; null for everything else. Numbers from outside that are not finite count as
 * missing (docs/design/api-decisioning.md 1).
 */
export function finiteNumber(x: unknown): number | null {
  return typeof x === 'number' && Number.isFinite(x) ? x + 0 : null;
}
