import { useSyncExternalStore } from 'react';
import { onBoot } from '../boot.ts';
import { recall, remember } from '../storage.ts';

/**
 * Named filters, columns and sort order of a list, stored in this browser. Opening a view only changes the list's address, so
 * its link works for everyone.
 */
export interface SavedView {
  readonly name: string;
  /** The query string, as written by `route/search.ts`. */
  readonly search: string;
}

/** Maximum number of views per list. */
export const maxViews = 20;
const longestName = 60;

/** Filters that identify a customer. The browser stores nothing about customers (docs/design/console.md, section 5.4). */
const ofCustomers: ReadonlySet<string> = new Set(['customerId', 'customer', 'externalId', 'key']);

/** Returns the filters of a query string that identify a customer. */
export function customerFilters(search: string): readonly string[] {
  const params = new URLSearchParams(search);
  const kind = params.get('entityType');
  // The audit log filters by any record ID. Unless another type is set, it may be a customer.
  const mayBeOne = kind === null || kind.toLowerCase().includes('customer');
  return [...new Set(params.keys())].filter((name) => ofCustomers.has(name) || (name === 'entityId' && mayBeOne));
}

/** Why a view can't be saved under a name; null if it can. */
export type ViewRefusal = 'unnamed' | 'long' | 'taken' | 'full' | 'customer';

const listeners = new Set<() => void>();
let known: Readonly<Record<string, readonly SavedView[]>> | null = null;
const none: readonly SavedView[] = [];
onBoot(() => changed(null));

function changed(next: typeof known): void {
  known = next;
  for (const listener of listeners) listener();
}

function all(): Readonly<Record<string, readonly SavedView[]>> {
  known ??= readViews(recall('views'));
  return known;
}

function readViews(stored: unknown): Readonly<Record<string, readonly SavedView[]>> {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).map(([list, views]) => [
      list,
      Array.isArray(views) ? views.filter(isView).filter(({ search }) => customerFilters(search).length === 0) : none,
    ]),
  );
}

function isView(value: unknown): value is SavedView {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'name') === 'string' &&
    typeof Reflect.get(value, 'search') === 'string'
  );
}

/** Returns the views of a list, sorted by name. */
export function viewsOf(list: string): readonly SavedView[] {
  return all()[list] ?? none;
}

/** Hook version that updates on changes. */
export function useViews(list: string): readonly SavedView[] {
  return useSyncExternalStore(listen, () => viewsOf(list));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns why `saveView` would fail. `before` is the name of the view to rename or overwrite. */
export function refusalOf(list: string, { name, search }: SavedView, before?: string): ViewRefusal | null {
  const others = viewsOf(list).filter((view) => view.name !== before);
  if (name.trim() === '') return 'unnamed';
  if (name.trim().length > longestName) return 'long';
  if (others.some((view) => view.name.toLowerCase() === name.trim().toLowerCase())) return 'taken';
  if (others.length >= maxViews) return 'full';
  return customerFilters(search).length > 0 ? 'customer' : null;
}

/** Saves a view, replacing the one named `before` if given. Returns the reason if it can't. */
export function saveView(list: string, view: SavedView, before?: string): ViewRefusal | null {
  const refusal = refusalOf(list, view, before);
  if (refusal !== null) return refusal;
  const others = viewsOf(list).filter(({ name }) => name !== before);
  keep(list, [...others, { name: view.name.trim(), search: view.search }]);
  return null;
}

/** Deletes a view, if it exists. */
export function deleteView(list: string, name: string): void {
  keep(
    list,
    viewsOf(list).filter((view) => view.name !== name),
  );
}

function keep(list: string, views: readonly SavedView[]): void {
  const { [list]: _before, ...others } = all();
  const sorted = views.toSorted((one, other) => one.name.localeCompare(other.name));
  const next = sorted.length === 0 ? others : { ...others, [list]: sorted };
  remember('views', Object.keys(next).length === 0 ? undefined : next);
  changed(next);
}
