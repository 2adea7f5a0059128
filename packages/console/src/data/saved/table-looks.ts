import { useSyncExternalStore } from 'react';
import { onBoot } from '../boot.ts';
import { recall, remember } from '../storage.ts';

/** Table layouts in this browser: one row height for all tables, and the columns of each list. */
export interface TableLooks {
  /** Null: every table keeps its default. */
  readonly density: ListDensity | null;
  /** Keys of the visible columns, in order, by list; unlisted lists show all. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

export type ListDensity = 'compact' | 'comfortable';

const densities: readonly unknown[] = ['compact', 'comfortable'] satisfies ListDensity[];
const isDensity = (value: unknown): value is ListDensity => densities.includes(value);
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const listeners = new Set<() => void>();
/** Read once instead of at every render; null: read again. */
let known: TableLooks | null = null;
onBoot(() => changed(null));

function changed(next: TableLooks | null): void {
  known = next;
  for (const listener of listeners) listener();
}

/** Returns the current layout. Ignores invalid stored data. */
export function tableLooks(): TableLooks {
  known ??= readLooks(recall('tables'));
  return known;
}

function readLooks(stored: unknown): TableLooks {
  if (typeof stored !== 'object' || stored === null) return { density: null, columns: {} };
  const density: unknown = Reflect.get(stored, 'density');
  const columns: unknown = Reflect.get(stored, 'columns');
  const lists = typeof columns === 'object' && columns !== null ? Object.entries(columns) : [];
  return {
    density: isDensity(density) ? density : null,
    columns: Object.fromEntries(
      lists.map(([list, keys]) => [list, textsOf(keys)] as const).filter(([, keys]) => keys.length > 0),
    ),
  };
}

/** Hook version that updates on changes. */
export function useTableLooks(): TableLooks {
  return useSyncExternalStore(listen, tableLooks);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sets the row height of all tables. */
export function chooseDensity(density: ListDensity): void {
  keep({ ...tableLooks(), density });
}

/** Sets the columns of a list; null for the default. */
export function chooseColumns(list: string, keys: readonly string[] | null): void {
  const { density, columns } = tableLooks();
  const { [list]: _before, ...others } = columns;
  keep({ density, columns: keys === null ? others : { ...others, [list]: keys } });
}

function keep(next: TableLooks): void {
  const isNothing = next.density === null && Object.keys(next.columns).length === 0;
  remember('tables', isNothing ? undefined : next);
  changed(next);
}
