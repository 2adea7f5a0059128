const longestKey = 100;

/**
 * Returns a metric's key for its name: lower case, everything but letters and digits as one underscore. A name without letters
 * and digits gives the first free `metric_<n>`.
 */
export function keyOf(name: string, usedKeys: ReadonlySet<string>): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, longestKey)
    .replace(/_+$/, '');
  if (key !== '') return key;
  for (let number = 1; ; number += 1) if (!usedKeys.has(`metric_${number}`)) return `metric_${number}`;
}
