import { boot, tenantOf } from './boot.ts';

/**
 * Browser storage, and the only file that writes it: the console's look, user layouts, opened records (by ID and catalogue
 * name), form drafts, IDs of running jobs. Never API responses, keys or customer data. Everything is deleted at sign-out.
 */
export type Remembered =
  | 'theme'
  | 'layout'
  | 'tables'
  | 'single-letter-keys'
  | 'views'
  | 'pins'
  | 'recents'
  | `draft:${string}`
  | 'checklist';

const prefix = 'arbiter';

/** The key contains tenant and user, because browsers are shared. */
function nameOf(name: string): string {
  const block = boot();
  const person = block.authenticated ? (block.session.principal?.id ?? '') : '';
  return [prefix, tenantOf(block), person, name].join(':');
}

/** Returns the stored value; undefined if there's none or it can't be read. */
export function recall(name: Remembered): unknown {
  return read('local', nameOf(name));
}

/** Stores a JSON value; `undefined` deletes it. Ignores browsers without storage. */
export function remember(name: Remembered, value: unknown): void {
  write('local', nameOf(name), value);
}

/** Same, until the tab closes: IDs of running jobs. */
export function recallInTab(name: 'jobs'): unknown {
  return read('tab', nameOf(name));
}

export function rememberInTab(name: 'jobs', value: unknown): void {
  write('tab', nameOf(name), value);
}

/** Same, in memory until the page reloads, for data that must not be written to disk because it names customers. */
export function recallInPage(name: 'pins' | 'recents'): unknown {
  return read('page', nameOf(name));
}

export function rememberInPage(name: 'pins' | 'recents', value: unknown): void {
  write('page', nameOf(name), value);
}

/** Calls back when another tab changes storage. Returns a function that stops it. */
export function onOtherTab(listener: () => void): () => void {
  globalThis.addEventListener('storage', listener);
  return () => globalThis.removeEventListener('storage', listener);
}

/** Deletes everything the console stored in this browser. */
export function forgetAll(): void {
  for (const place of ['local', 'tab', 'page'] as const) {
    const store = storeOf(place);
    if (store === null) continue;
    const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
    for (const name of names) if (name.startsWith(`${prefix}:`)) store.removeItem(name);
  }
}

function read(place: StoragePlace, name: string): unknown {
  const text = storeOf(place)?.getItem(name) ?? null;
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Written by another version or by hand: ignore it.
    return undefined;
  }
}

function write(place: StoragePlace, name: string, value: unknown): void {
  const store = storeOf(place);
  if (store === null) return;
  if (value === undefined) {
    store.removeItem(name);
    return;
  }
  try {
    store.setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full: the layout isn't saved.
    store.removeItem(name);
  }
}

type Store = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;
type StoragePlace = 'local' | 'tab' | 'page';

const inPage = new Map<string, string>();
const pageStore: Store = {
  get length() {
    return inPage.size;
  },
  key: (index) => [...inPage.keys()][index] ?? null,
  getItem: (name) => inPage.get(name) ?? null,
  setItem: (name, text) => void inPage.set(name, text),
  removeItem: (name) => void inPage.delete(name),
};

/** Returns null if the browser has no storage or blocks it. */
function storeOf(place: StoragePlace): Store | null {
  if (place === 'page') return pageStore;
  try {
    return (place === 'local' ? globalThis.localStorage : globalThis.sessionStorage) ?? null;
  } catch {
    return null;
  }
}
