const longestKey = 63;

/**
 * Returns a key for a name: lower case, everything else a dash, at most 63 characters; `fallback` when nothing is left.
 */
export function keyFromName(name: string, fallback: string): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, longestKey)
    .replace(/-+$/, '');
  return key === '' ? fallback : key;
}

/** The key itself, or with the first free number behind it: `hero`, `hero-2`, `hero-3`. */
export function freeKey(key: string, usedKeys: ReadonlySet<string>): string {
  if (!usedKeys.has(key)) return key;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const candidate = `${key.slice(0, longestKey - suffix.length)}${suffix}`;
    if (!usedKeys.has(candidate)) return candidate;
  }
}
