import type { Creative } from '@arbiter/contract/catalogue/creatives';
import { isMarkup } from '../../ui/preview/markup.ts';

/** How to show a creative's content: texts with tokens, markup as source, everything else as JSON. */

export interface TextPart {
  readonly text: string;
  /** Variable name: `first_name` of `{first_name | there}`. */
  readonly token: string | null;
}

const token = /\{\{?\s*([A-Za-z_][\w.]*)(?:\s*\|([^{}]*))?[^{}]*\}\}?/g;

/** A text split at its tokens. */
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

/** A token of a creative and the source of its value. */
export interface TokenSource {
  readonly name: string;
  /** Path of the value; null for a fixed value. */
  readonly source: string | null;
  /** Shown without a value; undefined for nothing. */
  readonly fallback: unknown;
}

type TokenEntry = Pick<Creative['personalization'][number], 'variable' | 'source' | 'fallback'>;

/** Returns every token of the content, then unused entries. A token without an entry reads the path in its name. */
export function tokensOf(content: unknown, entries: readonly TokenEntry[]): readonly TokenSource[] {
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

/** Returns every text in a value, in order. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

export interface ShownContent {
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

/** Returns the content keys in reading order, with how to show each. */
export function shownOf(content: Readonly<Record<string, unknown>>): readonly ShownContent[] {
  return Object.entries(content)
    .map(([key, value]): ShownContent => {
      if (typeof value !== 'string') return { key, kind: 'json', text: JSON.stringify(value, null, 2) };
      return { key, kind: isMarkup(value) ? 'markup' : 'text', text: value };
    })
    .sort((one, other) => place(one.key) - place(other.key));
}

/** Counts code points, as placements do. */
export const lengthOf = (text: string): number => [...text].length;
