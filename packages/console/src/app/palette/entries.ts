import type { ReactNode } from 'react';
import type { Command, Found, PaletteSearch, Screen } from '../../route/feature.ts';

/** A line of the palette. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  /** Stands before the title. */
  readonly icon?: ReactNode;
  readonly act: Command['act'];
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** How many pages and acts are shown for a text. */
const mostEntries = 8;

/** Pages and acts as lines; pages with a parameter cannot be opened without it. */
export function ownEntries(
  screens: readonly Screen[],
  commands: readonly Command[],
): { pages: Entry[]; acts: Entry[] } {
  return {
    pages: screens
      .filter(({ path, access }) => !path.includes('$') && access !== 'public')
      .map(({ path, title, rail }) => ({
        id: `page ${path}`,
        title,
        keys: rail?.key === undefined ? undefined : `g ${rail.key}`,
        act: { open: path },
      })),
    acts: commands.map(({ id, title, words, keys, act }) => ({ id: `act ${id}`, title, detail: words, keys, act })),
  };
}

/**
 * How well a line fits a text: higher is better, 0 not at all. The beginning of a word counts more than the middle of one,
 * letters in their order but apart count least.
 */
function fit(text: string, { title, detail = '' }: Pick<Entry, 'title' | 'detail'>): number {
  const sought = plain(text);
  if (sought === '') return 1;
  const name = plain(title);
  if (name === sought) return 6;
  if (name.startsWith(sought)) return 5;
  if (` ${name}`.includes(` ${sought}`)) return 4;
  if (` ${plain(detail)}`.includes(` ${sought}`)) return 3;
  if (name.includes(sought)) return 2;
  return inOrder(sought, name) ? 1 : 0;
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .trim();

function inOrder(sought: string, name: string): boolean {
  let at = 0;
  for (const letter of sought) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The lines that fit, best first; equals stay in their order. */
export function fitting(text: string, entries: readonly Entry[]): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, score: fit(text, entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, text.trim() === '' ? entries.length : mostEntries)
    .map(({ entry }) => entry);
}

/** Groups of lines, the one with the best line first, since Enter takes the first line; without a text as they are. */
export function bestFirst(text: string, groups: readonly Group[]): readonly Group[] {
  const best = ({ entries }: Group) => Math.max(0, ...entries.map((entry) => fit(text, entry)));
  return groups.toSorted((a, b) => best(b) - best(a));
}

/**
 * True for a text that somebody pasted rather than typed as a name: an id, the key of a customer, a trace. Keys of customers
 * are whatever the tenant's own systems use: numbers, addresses of mail, paths.
 */
export function looksLikeId(text: string): boolean {
  return /^(?=\S*[\d@/\\:_#%+])\S{3,255}$/.test(text.trim());
}

/** Searches to be asked for a text. */
export function searchesFor(text: string, searches: readonly PaletteSearch[]): readonly PaletteSearch[] {
  if (text.trim().length < 2) return [];
  return searches.filter(({ of }) => of !== 'ids' || looksLikeId(text));
}

/** Finds of a search as lines. */
export function foundEntries(title: string, found: readonly Found[]): Group {
  return {
    title,
    entries: found.map((each) => ({
      id: `found ${title} ${each.open}`,
      title: each.title,
      detail: each.detail,
      act: { open: each.open },
    })),
  };
}
