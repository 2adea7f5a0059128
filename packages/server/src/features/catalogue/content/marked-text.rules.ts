import { parseText, type Token } from '@arbiter/engine';

/**
 * A text whose tokens were taken out before anything reads it as Markdown or HTML, so that neither they nor what is put in
 * their place can become markup. In their places stand marks that hold a number.
 */
export interface MarkedText {
  readonly text: string;
  /** What the marks stand for, by number. A text: characters of the author's that look like a mark. */
  readonly marked: readonly (Token | string)[];
}

// Two characters of the private use area: a text that has them gets them marked as well.
const open = '\ue000';
const close = '\ue001';
const likeMark = /[\ue000\ue001]/g;
const mark = /\ue000(\d+)\ue001/g;

/** Takes the tokens out of a text. Literal braces lose their backslash. */
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

/** The literal texts and tokens of a part of a marked text, in turn. */
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

/** A part of a marked text as the author would write it: tokens in braces, literal braces behind backslashes. */
export function sourceOf(text: string, marked: MarkedText['marked']): string {
  return partsOf(text, marked)
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('{', '\\{');
      return part.fallback === null ? `{{${part.name}}}` : `{{${part.name}|${part.fallback}}}`;
    })
    .join('');
}

/** True when a mark, and so a token, is in the text. */
export function hasMark(text: string): boolean {
  return text.includes(open);
}
