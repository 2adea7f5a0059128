import { useSyncExternalStore } from 'react';
import { onBoot } from './boot.ts';
import { recall, remember } from './storage.ts';

/**
 * Filters, columns and order of a list under a name, kept in this browser. Opening one changes the address of its list and
 * nothing else, so that its link shows the same to whoever gets it.
 */
export interface SavedView {
  readonly name: string;
  /** What stands behind the question mark, as `route/search.ts` writes it. */
  readonly search: string;
}

/** Views of one list that are kept. */
export const mostViews = 20;
const longestName = 60;

/** Filters that say who a customer is. The browser remembers nothing of customers (docs/design/console.md 5.4). */
const ofCustomers: ReadonlySet<string> = new Set(['customerId', 'customer', 'externalId', 'key']);

/** The filters of a search text that would make it say something of a customer. */
export function customerFilters(search: string): readonly string[] {
  const asked = new URLSearchParams(search);
  const kind = asked.get('entityType');
  // The audit log asks for any record by its id; unless it is told to be of another kind, it may be a customer.
  const mayBeOne = kind === null || kind.toLowerCase().includes('customer');
  return [...new Set(asked.keys())].filter((name) => ofCustomers.has(name) || (name === 'entityId' && mayBeOne));
}

/** Why a view cannot be kept under a name; null: it can. */
export type Refusal = 'unnamed' | 'long' | 'taken' | 'full' | 'customer';

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

/** The views of a list, in the order of their names. */
export function viewsOf(list: string): readonly SavedView[] {
  return all()[list] ?? none;
}

/** The same in a component, which is drawn again when they change. */
export function useViews(list: string): readonly SavedView[] {
  return useSyncExternalStore(listen, () => viewsOf(list));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Why `saveView` would refuse. `before`: the name of the view that is to be renamed or written anew. */
export function refusalOf(list: string, { name, search }: SavedView, before?: string): Refusal | null {
  const others = viewsOf(list).filter((view) => view.name !== before);
  if (name.trim() === '') return 'unnamed';
  if (name.trim().length > longestName) return 'long';
  if (others.some((view) => view.name.toLowerCase() === name.trim().toLowerCase())) return 'taken';
  if (others.length >= mostViews) return 'full';
  return customerFilters(search).length > 0 ? 'customer' : null;
}

/** Keeps a view, in place of the one named `before` where that is given. Answers why not, and then keeps nothing. */
export function saveView(list: string, view: SavedView, before?: string): Refusal | null {
  const refusal = refusalOf(list, view, before);
  if (refusal !== null) return refusal;
  const others = viewsOf(list).filter(({ name }) => name !== before);
  keep(list, [...others, { name: view.name.trim(), search: view.search }]);
  return null;
}

/** Forgets a view; without effect when there is none of the name. */
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
