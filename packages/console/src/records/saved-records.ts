import { useSyncExternalStore } from 'react';
import { onBoot } from '../data/boot.ts';
import { onOtherTab, recall, recallInPage, remember, rememberInPage } from '../data/storage.ts';
import { isRecordKind, type RecordKind, recordKinds } from './record-kinds.ts';

/**
 * Pinned and recent records of the user. They live in the browser and follow the rules of storage.ts. Catalogue records store
 * type, ID and name, which are the tenant's data. Decisions store only the ID, because their headings name the customer; the
 * ID is random and useless without the API. Customers are never stored: the ID is customer data, and a browser would keep it
 * after the customer is erased. They stay in memory until the page reloads.
 */

/** A record as it was last opened. */
export interface SavedRecord {
  readonly kind: RecordKind;
  readonly id: string;
  /** Its name at that time; null for records known by ID. */
  readonly name: string | null;
  /** Time of the last visit, in milliseconds. */
  readonly at: number;
  /** The record no longer existed when the user opened it. */
  readonly isDeleted?: true;
}

export interface Pin extends SavedRecord {
  /** Time of pinning, in milliseconds. */
  readonly pinnedAt: number;
}

export interface SavedRecords {
  /** Newest first. */
  readonly pins: readonly Pin[];
  /** Newest first. */
  readonly recents: readonly SavedRecord[];
}

/** Maximum number of each. */
export const maxPins = 50;
export const maxRecents = 20;
/** Maximum length of stored names. */
const maxLetters = 255;

/** Whether records of this type stay in memory only. */
export const isForPageOnly = (kind: RecordKind): boolean => recordKinds[kind].pins === 'page';

/** Whether two entries are the same record. */
export const isSame = (one: Pick<SavedRecord, 'kind' | 'id'>, other: Pick<SavedRecord, 'kind' | 'id'>): boolean =>
  one.kind === other.kind && one.id === other.id;

const listeners = new Set<() => void>();
let known: SavedRecords | null = null;
// Entries belong to one user in one tenant.
onBoot(tell);

/** Returns the saved records of the signed-in user. */
export function savedRecords(): SavedRecords {
  known ??= { pins: read('pins', pinOf), recents: read('recents', recordOf) };
  return known;
}

/** Calls back after each change, including changes in other tabs. Returns a function that stops it. */
export function onSavedRecords(listener: () => void): () => void {
  // Without listeners, changes in other tabs went unnoticed.
  if (listeners.size === 0) known = null;
  const end = onOtherTab(tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    end();
  };
}

/** Hook that returns the saved records and updates on changes. */
export function useSavedRecords(): SavedRecords {
  return useSyncExternalStore(onSavedRecords, savedRecords);
}

/** Adds a record opened at `now` to the recent ones, and updates the name of its pin. */
export function addRecent(record: Pick<SavedRecord, 'kind' | 'id' | 'name'>, now: number): void {
  const { pins, recents } = readStorage();
  const opened: SavedRecord = { ...nameless(record), at: now };
  keep({
    pins: pins.map((pin) => (isSame(pin, record) ? { ...opened, pinnedAt: pin.pinnedAt } : pin)),
    recents: [opened, ...recents.filter((each) => !isSame(each, record))],
  });
}

/** Removes a deleted record from the recent ones. Its pin stays until the user removes it. */
export function markDeleted(record: Pick<SavedRecord, 'kind' | 'id'>): void {
  const { pins, recents } = readStorage();
  if (![...pins, ...recents].some((each) => isSame(each, record) && each.isDeleted !== true)) return;
  keep({
    pins: pins.map((pin) => (isSame(pin, record) ? { ...pin, isDeleted: true } : pin)),
    recents: recents.filter((each) => !isSame(each, record)),
  });
}

/**
 * Pins a record at `now`. Returns `full` without changes if there are too many pins, or `not-stored` if the browser didn't store
 * it.
 */
export function pin(record: Pick<SavedRecord, 'kind' | 'id' | 'name'>, now: number): 'pinned' | 'full' | 'not-stored' {
  const { pins, recents } = readStorage();
  const others = pins.filter((each) => !isSame(each, record));
  if (others.length >= maxPins) return 'full';
  keep({ pins: [{ ...nameless(record), at: now, pinnedAt: now }, ...others], recents });
  return savedRecords().pins.some((each) => isSame(each, record)) ? 'pinned' : 'not-stored';
}

export function unpin(record: Pick<SavedRecord, 'kind' | 'id'>): void {
  const { pins, recents } = readStorage();
  keep({ pins: pins.filter((each) => !isSame(each, record)), recents });
}

function nameless({ kind, id, name }: Pick<SavedRecord, 'kind' | 'id' | 'name'>): Omit<SavedRecord, 'at'> {
  const isKnownById = kind === 'decision' || kind === 'customer';
  return { kind, id, name: isKnownById ? null : (name?.slice(0, maxLetters) ?? null) };
}

/** Includes what other tabs have written. */
function readStorage(): SavedRecords {
  known = null;
  return savedRecords();
}

function tell(): void {
  known = null;
  for (const listener of listeners) listener();
}

function keep({ pins, recents }: SavedRecords): void {
  const fewer = recents.slice(0, maxRecents);
  for (const [name, records] of [
    ['pins', pins],
    ['recents', fewer],
  ] as const) {
    const stored = records.filter(({ kind }) => !isForPageOnly(kind));
    remember(name, stored.length === 0 ? undefined : stored);
    rememberInPage(
      name,
      records.filter(({ kind }) => isForPageOnly(kind)),
    );
  }
  tell();
}

/** Merges both stores, newest first, and skips invalid entries. */
function read<Read extends SavedRecord>(
  name: 'pins' | 'recents',
  make: (value: object) => Read | null,
): readonly Read[] {
  const entriesOf = (value: unknown, isForPage: boolean): readonly Read[] =>
    (Array.isArray(value) ? value : [])
      .map((each: unknown) => (typeof each === 'object' && each !== null ? make(each) : null))
      .filter((each) => each !== null)
      .filter(({ kind }) => isForPageOnly(kind) === isForPage);
  const when = (record: SavedRecord & { readonly pinnedAt?: number }): number => record.pinnedAt ?? record.at;
  const all = [...entriesOf(recall(name), false), ...entriesOf(recallInPage(name), true)].sort(
    (a, b) => when(b) - when(a),
  );
  const each = all.filter((record, at) => all.findIndex((other) => isSame(other, record)) === at);
  return each.slice(0, name === 'pins' ? maxPins : maxRecents);
}

function recordOf(value: object): SavedRecord | null {
  const kind: unknown = Reflect.get(value, 'kind');
  const id: unknown = Reflect.get(value, 'id');
  const name: unknown = Reflect.get(value, 'name');
  const at: unknown = Reflect.get(value, 'at');
  if (!isRecordKind(kind) || typeof id !== 'string' || typeof at !== 'number') return null;
  const record = { ...nameless({ kind, id, name: typeof name === 'string' ? name : null }), at };
  return Reflect.get(value, 'isDeleted') === true ? { ...record, isDeleted: true } : record;
}

function pinOf(value: object): Pin | null {
  const record = recordOf(value);
  const pinnedAt: unknown = Reflect.get(value, 'pinnedAt');
  return record === null || typeof pinnedAt !== 'number' ? null : { ...record, pinnedAt };
}
