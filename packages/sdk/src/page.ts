import type { Operation } from '@arbiter/contract';
import type { CallBody } from './inputs.ts';

/** One page of a list, in the same shape for every operation. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Number of rows on all pages; null if the list doesn't count them. */
  readonly total: number | null;
  /** Query parameters of the next page; null on the last page. */
  readonly next: { readonly cursor: string } | { readonly offset: number } | null;
}

/** Type of a row in an operation's list; `never` for an operation without a list. */
export type ListItem<O extends Operation> =
  CallBody<O> extends { readonly data: readonly (infer Item)[] }
    ? Item
    : CallBody<O> extends { readonly traces: readonly (infer Item)[] }
      ? Item
      : CallBody<O> extends { readonly rows: readonly (infer Item)[] }
        ? Item
        : never;

const rowNames = ['data', 'traces', 'rows'];

type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});
const numberOr = (value: unknown, other: number): number => (typeof value === 'number' ? value : other);

/** Converts a body to a page. Throws TypeError for a body without a list. */
export function pageOf(id: string, body: unknown): Page<unknown> {
  const members = membersOf(body);
  const data = rowNames.map((name) => members[name]).find((rows) => Array.isArray(rows));
  if (data === undefined) throw new TypeError(`${id} doesn't return a list`);
  const place = members.pagination === undefined ? members : membersOf(members.pagination);
  const total = typeof place.total === 'number' ? place.total : null;
  return { data, total, next: nextOf(place, data.length, total) };
}

function nextOf({ nextCursor, offset }: Members, count: number, total: number | null): Page<unknown>['next'] {
  if (typeof nextCursor === 'string') return { cursor: nextCursor };
  if (typeof offset !== 'number' || count === 0) return null;
  return offset + count < numberOr(total, 0) ? { offset: offset + count } : null;
}
