import { useSyncExternalStore } from 'react';
import { isRecordKind, type RecordKind } from '../route/record-address.ts';
import { onBoot } from './boot.ts';
import { onOtherTab, recall, recallInPage, remember, rememberInPage } from './storage.ts';

/**
 * The records that a person pinned, and those that they opened last. They are kept in the browser, so each has to obey what
 * storage.ts may hold:
 *
 * - Records of the catalogue: kind, id and name. They are the tenant's, not a customer's.
 * - Decisions: the id alone. Their headings name the customer; a decision's own id is random and says nothing without the API.
 * - Customers: nothing is written. The id of a customer is customer data, and a browser keeps what it wrote when the customer is
 *   erased on the server. They stay in the memory of the page, until it is loaded anew.
 */

/** A record as it was when it was opened last. */
export interface KeptRecord {
  readonly kind: RecordKind;
  readonly id: string;
  /** Its name then; null for what is known by its id. */
  readonly name: string | null;
  /** When it was opened last, in milliseconds. */
  readonly at: number;
  /** It was not there any more when somebody wanted to open it. */
  readonly gone?: true;
}

export interface Pin extends KeptRecord {
  /** When it was pinned, in milliseconds. */
  readonly pinnedAt: number;
}

export interface Kept {
  /** What was pinned last stands first. */
  readonly pins: readonly Pin[];
  /** What was opened last stands first. */
  readonly recents: readonly KeptRecord[];
}

/** At most so many of each. */
export const mostPins = 50;
export const mostRecents = 20;
/** Letters of a name that are kept. */
const mostLetters = 255;

/** True for kinds of which the browser keeps nothing once the page is gone. */
export const isForPageOnly = (kind: RecordKind): boolean => kind === 'customer';

/** True for the same record. */
export const isSame = (one: Pick<KeptRecord, 'kind' | 'id'>, other: Pick<KeptRecord, 'kind' | 'id'>): boolean =>
  one.kind === other.kind && one.id === other.id;

const listeners = new Set<() => void>();
let known: Kept | null = null;
// What is kept belongs to a person in a tenant.
onBoot(tell);

/** What is kept of the person who is signed in. */
export function keptNow(): Kept {
  known ??= { pins: read('pins', pinOf), recents: read('recents', recordOf) };
  return known;
}

/** Calls back after each change, also one that another tab made; answers with what ends that. */
export function onKept(listener: () => void): () => void {
  // Nobody listened to the other tabs before.
  if (listeners.size === 0) known = null;
  const end = onOtherTab(tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    end();
  };
}

/** What is kept, current for as long as the component is shown. */
export function useKept(): Kept {
  return useSyncExternalStore(onKept, keptNow);
}

/** A record was opened at `now`: it leads the recent ones, and its pin learns its name. */
export function noteOpened(record: Pick<KeptRecord, 'kind' | 'id' | 'name'>, now: number): void {
  const { pins, recents } = readAnew();
  const opened: KeptRecord = { ...nameless(record), at: now };
  keep({
    pins: pins.map((pin) => (isSame(pin, record) ? { ...opened, pinnedAt: pin.pinnedAt } : pin)),
    recents: [opened, ...recents.filter((each) => !isSame(each, record))],
  });
}

/** A record is not there any more: there is nothing to come back to, but a pin stays until somebody takes it out. */
export function noteGone(record: Pick<KeptRecord, 'kind' | 'id'>): void {
  const { pins, recents } = readAnew();
  if (![...pins, ...recents].some((each) => isSame(each, record) && each.gone !== true)) return;
  keep({
    pins: pins.map((pin) => (isSame(pin, record) ? { ...pin, gone: true } : pin)),
    recents: recents.filter((each) => !isSame(each, record)),
  });
}

/** Pins a record at `now`; `full` when there is no room for another pin, and nothing is changed. */
export function pin(record: Pick<KeptRecord, 'kind' | 'id' | 'name'>, now: number): 'pinned' | 'full' {
  const { pins, recents } = readAnew();
  const others = pins.filter((each) => !isSame(each, record));
  if (others.length >= mostPins) return 'full';
  keep({ pins: [{ ...nameless(record), at: now, pinnedAt: now }, ...others], recents });
  return 'pinned';
}

export function unpin(record: Pick<KeptRecord, 'kind' | 'id'>): void {
  const { pins, recents } = readAnew();
  keep({ pins: pins.filter((each) => !isSame(each, record)), recents });
}

function nameless({ kind, id, name }: Pick<KeptRecord, 'kind' | 'id' | 'name'>): Omit<KeptRecord, 'at'> {
  const isKnownById = kind === 'decision' || kind === 'customer';
  return { kind, id, name: isKnownById ? null : (name?.slice(0, mostLetters) ?? null) };
}

/** What another tab has written counts, too. */
function readAnew(): Kept {
  known = null;
  return keptNow();
}

function tell(): void {
  known = null;
  for (const listener of listeners) listener();
}

function keep({ pins, recents }: Kept): void {
  const fewer = recents.slice(0, mostRecents);
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

/** Both places together, the latest first; what is not understood is left out. */
function read<Read extends KeptRecord>(
  name: 'pins' | 'recents',
  make: (value: object) => Read | null,
): readonly Read[] {
  const made = (value: unknown, isForPage: boolean): readonly Read[] =>
    (Array.isArray(value) ? value : [])
      .map((each: unknown) => (typeof each === 'object' && each !== null ? make(each) : null))
      .filter((each) => each !== null)
      .filter(({ kind }) => isForPageOnly(kind) === isForPage);
  const when = (record: KeptRecord & { readonly pinnedAt?: number }): number => record.pinnedAt ?? record.at;
  const all = [...made(recall(name), false), ...made(recallInPage(name), true)].sort((a, b) => when(b) - when(a));
  return all.slice(0, name === 'pins' ? mostPins : mostRecents);
}

function recordOf(value: object): KeptRecord | null {
  const kind: unknown = Reflect.get(value, 'kind');
  const id: unknown = Reflect.get(value, 'id');
  const name: unknown = Reflect.get(value, 'name');
  const at: unknown = Reflect.get(value, 'at');
  if (!isRecordKind(kind) || typeof id !== 'string' || typeof at !== 'number') return null;
  const record = { ...nameless({ kind, id, name: typeof name === 'string' ? name : null }), at };
  return Reflect.get(value, 'gone') === true ? { ...record, gone: true } : record;
}

function pinOf(value: object): Pin | null {
  const record = recordOf(value);
  const pinnedAt: unknown = Reflect.get(value, 'pinnedAt');
  return record === null || typeof pinnedAt !== 'number' ? null : { ...record, pinnedAt };
}
