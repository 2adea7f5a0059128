// Names and cells come from people: they may hold anything that a string can. Letters and their accents are composed, which
// is the same text (Unicode's form NFC): fonts have composed letters.

/**
 * Invisible characters that affect their surroundings: controls, text direction marks (which can reverse a file name),
 * line and paragraph separators, tags, lone surrogates, noncharacters.
 */
const unseen =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\uffff\u{e0000}-\u{e0fff}]/gu;

/** Most cells: printable ASCII. */
const harmless = /^[ -~]*$/;

/** Returns one line: line breaks and tabs become spaces, invisible characters are dropped. */
export function oneLine(text: string): string {
  if (harmless.test(text)) return text.trim();
  return text
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(unseen, '')
    .normalize('NFC')
    .trim();
}

/**
 * Returns text with its line breaks as `
 * `, without invisible characters.
 */
export function manyLines(text: string): string {
  if (harmless.test(text)) return text.trim();
  return text
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replace(/[^\n]+/g, (line) => line.replace(unseen, ''))
    .normalize('NFC')
    .trim();
}
