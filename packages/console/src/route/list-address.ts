import Type, { type Static } from 'typebox';
import { parseSearch, writeSearch } from './search.ts';

/** List state in the address besides filters: sort order, columns, previewed row. */
export const ListAddress = Type.Object({
  /** Key of the sort column; a leading minus sorts descending. */
  sort: Type.Optional(Type.String({ minLength: 1 })),
  /** Comma-separated column keys; `all` for the default, whatever this browser has stored. */
  columns: Type.Optional(Type.String({ minLength: 1 })),
  /** Key of the previewed row. */
  peek: Type.Optional(Type.String({ minLength: 1 })),
});
export type ListAddress = Partial<Static<typeof ListAddress>>;

/** The default columns. */
export const allColumns = 'all';

/** Parses `-name` to key and direction; null for no order. */
export function sortOf(text: string | undefined): { readonly key: string; readonly descending: boolean } | null {
  if (text === undefined || text === '' || text === '-') return null;
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

/** Formats key and direction; undefined for no order. */
export const sortText = (sort: ReturnType<typeof sortOf>): string | undefined =>
  sort === null ? undefined : `${sort.descending ? '-' : ''}${sort.key}`;

/**
 * Returns the columns to show in order: the requested ones that exist, or all. The first column names the row and is always
 * shown.
 */
export function columnKeys(known: readonly string[], requested: readonly string[] | null): readonly string[] {
  const [first = ''] = known;
  const wanted = requested?.filter((key, at) => known.includes(key) && requested.indexOf(key) === at) ?? [];
  return wanted.length === 0 ? known : [first, ...wanted.filter((key) => key !== first)];
}

/** Parameters that say where the user is, not what a list shows. They aren't part of a view. */
const passing = new Set(['peek', 'row', 'live', 'cursor', 'limit', 'offset']);

/**
 * Returns the part of an address that makes a view: filters, columns and order, in canonical form for comparison. `columns`
 * are the visible ones; null for the default.
 */
export function viewSearch(search: string, columns: readonly string[] | null): string {
  const filters = Object.entries(parseSearch(search)).filter(([name]) => !passing.has(name) && name !== 'columns');
  return writeSearch(
    Object.fromEntries([
      ...filters.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ['columns', columns?.join() ?? allColumns],
    ]),
  );
}
