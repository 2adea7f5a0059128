import Type, { type Static } from 'typebox';
import { parseSearch, writeSearch } from './search.ts';

/** What the address of a list says besides its filters: the order of its rows, its columns, the row that is looked at. */
export const ListAddress = Type.Object({
  /** Key of the column that rows are sorted by; with a minus in front, the greatest first. */
  sort: Type.Optional(Type.String({ minLength: 1 })),
  /** Keys of the columns, separated by commas; `all`: as at first, whatever this browser remembers. */
  columns: Type.Optional(Type.String({ minLength: 1 })),
  /** Key of the row that is looked at beside the list. */
  peek: Type.Optional(Type.String({ minLength: 1 })),
});
export type ListAddress = Partial<Static<typeof ListAddress>>;

/** Stands for the columns as they are at first. */
export const allColumns = 'all';

/** `-name` as key and direction; null for no order. */
export function sortOf(text: string | undefined): { readonly key: string; readonly descending: boolean } | null {
  if (text === undefined || text === '' || text === '-') return null;
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false };
}

/** The other way round; undefined for no order. */
export const sortText = (sort: ReturnType<typeof sortOf>): string | undefined =>
  sort === null ? undefined : `${sort.descending ? '-' : ''}${sort.key}`;

/**
 * The columns to show, first to last: those that were asked for, as far as the list has them, or all. The first column names the row
 * and stays.
 */
export function columnKeys(known: readonly string[], asked: readonly string[] | null): readonly string[] {
  const [first = ''] = known;
  const wanted = asked?.filter((key, at) => known.includes(key) && asked.indexOf(key) === at) ?? [];
  return wanted.length === 0 ? known : [first, ...wanted.filter((key) => key !== first)];
}

/** Parameters that say where somebody looks and not what a list shows: they are no part of a view. */
const passing = new Set(['peek', 'row', 'live', 'cursor', 'limit', 'offset']);

/**
 * What of an address is a view: filters, columns and order, always written the same way, so that two of them can be compared.
 * `columns` as they are shown; null: as at first.
 */
export function viewSearch(search: string, columns: readonly string[] | null): string {
  const kept = Object.entries(parseSearch(search)).filter(([name]) => !passing.has(name) && name !== 'columns');
  return writeSearch(
    Object.fromEntries([...kept.toSorted(([a], [b]) => (a < b ? -1 : 1)), ['columns', columns?.join() ?? allColumns]]),
  );
}
