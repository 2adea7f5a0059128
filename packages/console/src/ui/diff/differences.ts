/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One place where two JSON documents differ. */
export interface Difference {
  /** JSON pointer (RFC 6901) of the place; of things in a list it names them by their id: `/nodes/s1/config`. */
  readonly pointer: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'moved' | 'set';
  /** Undefined if it didn't exist. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** For `set`, a list of plain values without an order: added and removed ones. */
  readonly added?: readonly Json[];
  readonly removed?: readonly Json[];
}

export interface Differences {
  readonly found: readonly Difference[];
  /** Leaves that are the same in both. */
  readonly unchanged: number;
}

type Plain = { readonly [key: string]: Json };

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLeaf = (value: Json) => typeof value !== 'object' || value === null;

/** The same value, whatever the order of its keys. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (isList(one) && isList(other)) {
    return one.length === other.length && one.every((value, at) => sameJson(value, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length && keys.every((key) => key in other && sameJson(one[key], other[key]))
  );
}

const step = (pointer: string, key: string) => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Name of each thing in a list, by its `id` or `key`; null when one has none or two have the same. */
function namesOf(list: readonly Json[]): readonly string[] | null {
  const names = list.map((value) => {
    const name = isObject(value) ? (value.id ?? value.key) : undefined;
    return typeof name === 'string' ? name : null;
  });
  if (names.some((name) => name === null) || new Set(names).size !== names.length) return null;
  return names.filter((name) => name !== null);
}

function leaves(value: Json | undefined): number {
  if (isList(value)) return value.reduce<number>((sum, one) => sum + leaves(one), 0);
  if (isObject(value)) return Object.values(value).reduce<number>((sum, one) => sum + leaves(one), 0);
  return value === undefined ? 0 : 1;
}

/** Items of a list by name: added, removed, moved or changed. */
function things(before: readonly Json[], after: readonly Json[], pointer: string, found: Difference[]): number {
  const [were, are] = [namesOf(before) ?? [], namesOf(after) ?? []];
  const stayed = were.filter((name) => are.includes(name));
  const order = are.filter((name) => were.includes(name));
  let unchanged = 0;
  for (const [at, name] of were.entries()) {
    const place = step(pointer, name);
    if (!are.includes(name)) found.push({ pointer: place, kind: 'removed', before: before[at], after: undefined });
  }
  for (const [at, name] of are.entries()) {
    const place = step(pointer, name);
    const was = were.indexOf(name);
    if (was < 0) {
      found.push({ pointer: place, kind: 'added', before: undefined, after: after[at] });
      continue;
    }
    if (stayed.indexOf(name) !== order.indexOf(name)) {
      found.push({ pointer: place, kind: 'moved', before: was + 1, after: at + 1 });
    }
    unchanged += compare(before[was], after[at], place, found);
  }
  return unchanged;
}

/** Adds the differences to `found`; returns the number of equal leaves. */
function compare(before: Json | undefined, after: Json | undefined, pointer: string, found: Difference[]): number {
  if (sameJson(before, after)) return leaves(before);
  if (before === undefined || after === undefined) {
    found.push({ pointer, kind: before === undefined ? 'added' : 'removed', before, after });
    return 0;
  }
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.reduce((sum, key) => sum + compare(before[key], after[key], step(pointer, key), found), 0);
  }
  if (isList(before) && isList(after)) {
    if (before.every(isLeaf) && after.every(isLeaf)) {
      const removed = before.filter((value) => !after.includes(value));
      const added = after.filter((value) => !before.includes(value));
      // The same values in another order, or more often, are reported as a change: nothing was added or removed.
      const isSet = removed.length + added.length > 0;
      found.push({ pointer, kind: isSet ? 'set' : 'changed', before, after, ...(isSet ? { added, removed } : {}) });
      return before.length - removed.length;
    }
    if (namesOf(before) && namesOf(after)) return things(before, after, pointer, found);
  }
  found.push({ pointer, kind: 'changed', before, after });
  return 0;
}

/** Where two JSON documents differ, in the order of the first, then of the second. */
export function differences(before: Json | undefined, after: Json | undefined): Differences {
  const found: Difference[] = [];
  const unchanged = compare(before, after, '', found);
  return { found, unchanged };
}

/** `/config/scopes/0` -> `config › scopes › 0`. */
export function pointerText(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ');
}
