import type { ReactNode } from 'react';
import type { Command, PaletteSearch, Screen, SearchHit } from '../../route/feature.ts';

/** A line of the palette. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  /** Shown before the title. */
  readonly icon?: ReactNode;
  readonly act: Command['act'];
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Maximum number of pages and actions for a query. */
const maxEntries = 8;

/** Returns pages and actions as lines. Pages with a parameter can't be opened without it. */
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
 * Scores how well a line matches a query: higher is better, 0 is no match. The start of a word counts more than its middle;
 * scattered letters count least.
 */
function fit(text: string, { title, detail = '' }: Pick<Entry, 'title' | 'detail'>): number {
  const query = plain(text);
  if (query === '') return 1;
  const name = plain(title);
  if (name === query) return 6;
  if (name.startsWith(query)) return 5;
  if (` ${name}`.includes(` ${query}`)) return 4;
  if (` ${plain(detail)}`.includes(` ${query}`)) return 3;
  if (name.includes(query)) return 2;
  return inOrder(query, name) ? 1 : 0;
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .trim();

function inOrder(query: string, name: string): boolean {
  let at = 0;
  for (const letter of query) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Returns matching lines, best first. Ties keep their order. */
export function fitting(text: string, entries: readonly Entry[]): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, score: fit(text, entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, text.trim() === '' ? entries.length : maxEntries)
    .map(({ entry }) => entry);
}

/** Returns the groups, with the best line's group first, since Enter opens the first line. Without a query, keeps their order. */
export function bestFirst(text: string, groups: readonly Group[]): readonly Group[] {
  const best = ({ entries }: Group) => Math.max(0, ...entries.map((entry) => fit(text, entry)));
  return groups.toSorted((a, b) => best(b) - best(a));
}

/**
 * Whether a query looks pasted rather than typed as a name: an ID, a customer key, a trace. Customer keys come from the
 * tenant's own systems: numbers, emails, paths.
 */
export function looksLikeId(text: string): boolean {
  return /^(?=\S*[\d@/\\:_#%+])\S{3,255}$/.test(text.trim());
}

/** Returns the searches to run for a query. */
export function searchesFor(text: string, searches: readonly PaletteSearch[]): readonly PaletteSearch[] {
  if (text.trim().length < 2) return [];
  return searches.filter(({ of }) => of !== 'ids' || looksLikeId(text));
}

/** Converts search results to lines, by group. Groups and lines keep their order. */
export function foundEntries(title: string, found: readonly SearchHit[]): readonly Group[] {
  return [...Map.groupBy(found, ({ group }) => group ?? title)].map(([group, members]) => ({
    title: group,
    entries: members.map((each) => ({
      id: `found ${group} ${each.open}`,
      title: each.title,
      detail: each.detail,
      act: { open: each.open },
    })),
  }));
}
