import { boot, tenantOf } from './boot.ts';

/**
 * What the browser may remember, and the only file that writes it: how the console looks, what a person arranged, which
 * records they opened (by id and name of the catalogue), drafts of the catalogue's forms, ids of work under way. Never an
 * answer of the API, a key or anything of a customer. All of it goes at sign-out.
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

/** Tenant and person are part of the name: a browser is shared more often than it should be. */
function nameOf(name: string): string {
  const block = boot();
  const person = block.authenticated ? (block.session.principal?.id ?? '') : '';
  return [prefix, tenantOf(block), person, name].join(':');
}

/** What was remembered; undefined when nothing was, or when what is there cannot be read. */
export function recall(name: Remembered): unknown {
  return read('local', nameOf(name));
}

/** Remembers a value that JSON can write; `undefined` forgets it. A browser that keeps nothing is no error. */
export function remember(name: Remembered, value: unknown): void {
  write('local', nameOf(name), value);
}

/** The same for as long as the tab is open: ids of work under way. */
export function recallInTab(name: 'jobs'): unknown {
  return read('tab', nameOf(name));
}

export function rememberInTab(name: 'jobs', value: unknown): void {
  write('tab', nameOf(name), value);
}

/**
 * The same for as long as the page is loaded, in its memory alone: what must not be written to the browser's disk, because
 * it names customers.
 */
export function recallInPage(name: 'pins' | 'recents'): unknown {
  return read('page', nameOf(name));
}

export function rememberInPage(name: 'pins' | 'recents', value: unknown): void {
  write('page', nameOf(name), value);
}

/** Calls back when another tab of this browser has remembered or forgotten something; answers with what ends that. */
export function onOtherTab(listener: () => void): () => void {
  globalThis.addEventListener('storage', listener);
  return () => globalThis.removeEventListener('storage', listener);
}

/** Forgets everything of the console in this browser. */
export function forgetAll(): void {
  for (const place of ['local', 'tab', 'page'] as const) {
    const store = storeOf(place);
    if (store === null) continue;
    const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
    for (const name of names) if (name.startsWith(`${prefix}:`)) store.removeItem(name);
  }
}

function read(place: Place, name: string): unknown {
  const text = storeOf(place)?.getItem(name) ?? null;
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Written by another version, or by hand: as good as nothing.
    return undefined;
  }
}

function write(place: Place, name: string, value: unknown): void {
  const store = storeOf(place);
  if (store === null) return;
  if (value === undefined) {
    store.removeItem(name);
    return;
  }
  try {
    store.setItem(name, JSON.stringify(value));
  } catch {
    // The store is full: what cannot be remembered is arranged again next time.
    store.removeItem(name);
  }
}

type Store = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;
type Place = 'local' | 'tab' | 'page';

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

/** Null where the browser has no store, or was told to keep none. */
function storeOf(place: Place): Store | null {
  if (place === 'page') return pageStore;
  try {
    return (place === 'local' ? globalThis.localStorage : globalThis.sessionStorage) ?? null;
  } catch {
    return null;
  }
}
