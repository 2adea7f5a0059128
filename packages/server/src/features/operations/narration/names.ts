import { oneLine } from '../report-rendering/index.ts';

/** Longest name in a narrative, in characters. */
const maxCharacters = 60;
/** A name of many short words would fill a text that is limited in words. */
const maxWords = 12;

/**
 * Returns a name, or any text that a person typed, as narratives show it: one line without invisible characters, without
 * double quotation marks, because those mark where names begin and end, and cut if it is long.
 */
export function shownName(text: string): string {
  const clean = oneLine(text)
    .replace(/["“”„‟«»″＂〝〞]/g, "'")
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  const short = clean.split(' ').slice(0, maxWords).join(' ');
  const characters = [...short];
  const isLong = short !== clean || characters.length > maxCharacters;
  const cut = isLong
    ? `${characters
        .slice(0, maxCharacters - 1)
        .join('')
        .trimEnd()}…`
    : clean;
  return cut === '' ? '(no name)' : cut;
}

/** Returns the name in quotation marks. */
export const quoted = (text: string): string => `“${shownName(text)}”`;

/** The quoted parts of a text, without their marks. */
export const quotations = (text: string): string[] =>
  [...text.matchAll(/“([^”]*)”/g)].map(([, inside]) => inside ?? '');
