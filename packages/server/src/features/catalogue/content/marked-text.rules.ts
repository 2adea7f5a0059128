import { parseText, type Token } from '@arbiter/engine';

/**
 * Text whose tokens were taken out before it is read as Markdown or HTML, so that neither a token nor its value can
 * become markup. Marks with a number stand in for them.
 */
export interface MarkedText {
  readonly text: string;
  /** Meaning of each mark, by number. A string: characters of the author that look like a mark. */
  readonly marked: readonly (Token | string)[];
}

// Two private use characters. If the author uses them, they are marked as well.
const open = '\ue000';
const close = '\ue001';
const likeMark = /[\ue000\ue001]/g;
const mark = /\ue000(\d+)\ue001/g;

/** Takes the tokens out of a text and unescapes literal braces. */
export function markTokens(text: string): MarkedText {
  const marked: (Token | string)[] = [];
  const add = (value: Token | string): string => `${open}${marked.push(value) - 1}${close}`;
  const rest = parseText(text)
    .map((segment) =>
      typeof segment === 'string' ? segment.replace(likeMark, (character) => add(character)) : add(segment),
    )
    .join('');
  return { text: rest, marked };
}

/** Returns the literal texts and tokens of a part of a marked text, in order. */
export function partsOf(text: string, marked: MarkedText['marked']): (Token | string)[] {
  const parts: (Token | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    parts.push(text.slice(end, match.index));
    const value = marked[Number(match[1])];
    if (value !== undefined) parts.push(value);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== '');
}

/** Returns a part of a marked text in the author's notation: tokens in braces, literal braces escaped. */
export function sourceOf(text: string, marked: MarkedText['marked']): string {
  return partsOf(text, marked)
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('{', '\\{');
      return part.fallback === null ? `{{${part.name}}}` : `{{${part.name}|${part.fallback}}}`;
    })
    .join('');
}

/** True if the text contains a mark, and so a token. */
export function hasMark(text: string): boolean {
  return text.includes(open);
}
