/** `maxPerDay` -> `Max per day`. */
export function humanKey(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
