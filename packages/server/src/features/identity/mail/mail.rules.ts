/** Longest part of a name that a mail repeats. */
const longestName = 80;

/** U+2060: takes no room and shows nothing. Mail programs make links of what looks like an address, and not of this. */
const wordJoiner = '\u2060';

/**
 * A name that somebody has chosen, as a mail repeats it: one line, not long, and never a link. Anybody can have a mail sent
 * to anybody, so that a name must not be able to lead anywhere.
 */
export function shownName(name: string): string {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const characters = [...line];
  const short = characters.length > longestName ? `${characters.slice(0, longestName - 1).join('')}…` : line;
  return short.replaceAll(/[.:/@](?=\S)/gu, (mark) => `${mark}${wordJoiner}`);
}

/** Hours as a person says them: `1 hour`, `24 hours`, `7 days`. */
export function lasting(hours: number): string {
  if (hours > 48 && hours % 24 === 0) return `${hours / 24} days`;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

/** An instant as a mail says it: `20 November 2026, 14:05 UTC`. */
export function momentInWords(iso: string): string {
  const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${words.format(new Date(iso)).replace(' at ', ', ')} UTC`;
}
