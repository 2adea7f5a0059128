/** Words of keys that are written otherwise in a label. */
const written: ReadonlyMap<string, string> = new Map([
  ['cta', 'CTA'],
  ['desc', 'description'],
  ['html', 'HTML'],
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['json', 'JSON'],
  ['url', 'URL'],
]);

/** `maxPerDay` -> `Max per day`, `categoryId` -> `Category ID`. */
export function humanKey(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)
    .split(' ')
    .map((word) => written.get(word.toLowerCase()) ?? word)
    .join(' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
