import { isMarkup } from '../../ui/markup.ts';

/** How the content of a creative is shown: texts with their tokens, markup as its source, all else as JSON. */

export interface TextPart {
  readonly text: string;
  /** Name of the variable that stands here: `first_name` of `{first_name | there}`. */
  readonly token: string | null;
}

const token = /\{\{?\s*([A-Za-z_][\w.]*)[^{}]*\}\}?/g;

/** A text cut at its tokens. */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index), token: null });
    parts.push({ text: match[0], token: match[1] ?? '' });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), token: null });
  return parts;
}

export interface Shown {
  readonly key: string;
  readonly kind: 'text' | 'markup' | 'json';
  readonly text: string;
}

const usual = [
  'subject',
  'preheader',
  'title',
  'headline',
  'body',
  'html',
  'text',
  'imageUrl',
  'ctaText',
  'ctaUrl',
  'deepLink',
];
const place = (key: string) => (usual.includes(key) ? usual.indexOf(key) : usual.length);

/** The keys of a content in the order in which people read them, each with how it is shown. */
export function shownOf(content: Readonly<Record<string, unknown>>): readonly Shown[] {
  return Object.entries(content)
    .map(([key, value]): Shown => {
      if (typeof value !== 'string') return { key, kind: 'json', text: JSON.stringify(value, null, 2) };
      return { key, kind: isMarkup(value) ? 'markup' : 'text', text: value };
    })
    .sort((one, other) => place(one.key) - place(other.key));
}

/** Length as placements count it: in code points. */
export const lengthOf = (text: string): number => [...text].length;
