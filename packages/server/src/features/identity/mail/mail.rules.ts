/** Limit on a name repeated in an email. */
const longestName = 80;

/**
 * U+2060: invisible and without width. Keeps email programs from turning text that looks like an address into a link.
 */
const wordJoiner = '\u2060';

/**
 * Returns a user-chosen name as emails repeat it: one line, short, and never a link. Anyone can have an email sent to
 * anyone, so a name must not lead anywhere.
 */
export function shownName(name: string): string {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...line];
  const short = characters.length > longestName ? `${characters.slice(0, longestName - 1).join('')}…` : line;
  return short.replaceAll(/[.:/@](?=\S)/gu, (mark) => `${mark}${wordJoiner}`);
}

/** Returns hours in words: `1 hour`, `24 hours`, `7 days`. */
export function lasting(hours: number): string {
  if (hours > 48 && hours % 24 === 0) return `${hours / 24} days`;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

/** Returns an instant in words: `20 November 2026, 14:05 UTC`. */
export function momentInWords(iso: string): string {
  const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${words.format(new Date(iso)).replace(' at ', ', ')} UTC`;
}
