import type { Creative } from '@arbiter/contract/creatives';
import { isMarkup } from '../../ui/markup.ts';

/** How the content of a creative is shown: texts with their tokens, markup as its source, all else as JSON. */

export interface TextPart {
  readonly text: string;
  /** Name of the variable that stands here: `first_name` of `{first_name | there}`. */
  readonly token: string | null;
}

const token = /\{\{?\s*([A-Za-z_][\w.]*)(?:\s*\|([^{}]*))?[^{}]*\}\}?/g;

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

/** A token of a creative, and where its value comes from. */
export interface TokenSource {
  readonly name: string;
  /** Path that the value is read from; null: the value is fixed. */
  readonly source: string | null;
  /** Shown where there is no value; undefined: nothing is. */
  readonly fallback: unknown;
}

type Entry = Pick<Creative['personalization'][number], 'variable' | 'source' | 'fallback'>;

/** Every token of a content, then the entries that no text of it uses. A token without an entry reads the path that it names. */
export function tokensOf(content: unknown, entries: readonly Entry[]): readonly TokenSource[] {
  const byName = new Map<string, TokenSource>();
  const named = new Map(entries.map((entry) => [entry.variable, entry]));
  for (const match of textsOf(content).flatMap((text) => [...text.matchAll(token)])) {
    const [, name = '', ownFallback] = match;
    if (byName.has(name)) continue;
    const entry = named.get(name);
    const fallback = entry?.fallback ?? ownFallback?.trim();
    byName.set(name, { name, source: entry === undefined ? name : entry.source || null, fallback });
  }
  for (const { variable: name, source, fallback } of entries)
    if (!byName.has(name)) byName.set(name, { name, source: source || null, fallback });
  return [...byName.values()];
}

/** Every text of a value, in its order. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
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
